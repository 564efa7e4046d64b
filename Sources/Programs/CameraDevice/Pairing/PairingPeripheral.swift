import Basics
import CoreBluetooth
import Dispatch
import Foundation
import Wire

/// Offers pairing over Bluetooth: carries what clients do to ``PairingRules``, and what these decide to clients.
///
/// All state is confined to one serial queue, which is the radio's too; methods may be called from any thread.
/// CoreBluetooth reports no connections, so a client counts from its first read, write or subscription, and has left when
/// its last subscription ends, which a lost link does as well. A client without a subscription is never seen to leave, so
/// it loses what it staged by the timer, or as soon as another client writes.
final class PairingPeripheral: PairingRadioHandler, @unchecked Sendable {
    // Unchecked because the mutable properties are touched on `queue` only.

    /// What the camera learns.
    enum Output: Sendable, Equatable {
        /// The services are offered under this name.
        case advertising(name: String)
        /// A client was met.
        case clientConnected
        /// That client has left.
        case clientDisconnected
        /// A client has applied these; its write has been acknowledged.
        case credentials(PairingCredentials)
        /// What happens to the setup code.
        case note(PairingRules.Note)
    }

    typealias Lane = MessageQueue.Lane

    private static let rememberedClients = 64

    /// What happens, for one consumer; ends with ``stop()``.
    let outputs: AsyncStream<Output>
    /// The advertised name.
    let name: String
    private let yield: AsyncStream<Output>.Continuation

    private let queue = DispatchQueue(label: "porchlight.camera.pairing")
    private let log = Log("pairing")
    private let clock: any Clock<Duration>
    private let radio: PairingRadio
    private var rules: PairingRules
    private var messages = MessageQueue()
    private var statusIsDue = false
    private var clients: Set<UUID> = []
    private var scan: NetworkScan?
    private var stagingTimer: Task<Void, Never>?
    private var lockTimer: Task<Void, Never>?

    /// Prepares the services.
    /// - Parameters:
    ///   - layouts: The ways of handing over credentials to offer; not none.
    ///   - verifiers: Needed for the protected layout.
    ///   - requiresSetupCode: Whether the empty password is refused.
    ///   - options: For the peripheral manager.
    init(
        identity: CameraIdentity, model: String, layouts: PairingInfo.Layouts, verifiers: PasswordVerifiers? = nil,
        requiresSetupCode: Bool = false, joiner: any NetworkJoiner, clock: any Clock<Duration>,
        randomness: PairingRandomness = PairingRandomness(), options: [String: any Sendable]
    ) throws(CameraError) {
        var capabilities: PairingInfo.Capabilities = []
        if joiner.managesWiFi { capabilities.insert(.managesWiFi) }
        if joiner.joinsFiveGigahertz { capabilities.insert(.fiveGigahertz) }
        if layouts.contains(.protected) { capabilities.insert(.setupCode) }
        if requiresSetupCode { capabilities.insert(.insistsOnSetupCode) }
        let info = PairingInfo(layouts: layouts, capabilities: capabilities, model: model)
        guard (try? info.encoded()) != nil else { throw .badModelName }
        rules = PairingRules(info: info, deviceID: identity.deviceID, verifiers: verifiers, randomness: randomness)
        name = PairingService.advertisedNamePrefix + identity.deviceID.ending
        self.clock = clock
        radio = PairingRadio(on: queue, name: name, layouts: layouts, clock: clock, options: options)
        (outputs, yield) = AsyncStream.makeStream()
        scan = NetworkScan(of: joiner, on: queue, clock: clock) { [weak self] networks, lanes in
            self?.send(networks, to: lanes)
        }
    }

    /// Takes the radio, waits for it if it is not on yet, and advertises. Returns once the camera can be found.
    /// - Throws: ``CameraError``: `stopped` when the task is cancelled or ``stop()`` is called meanwhile.
    func start() async throws(CameraError) { try await radio.start(self) }

    /// Tells how the attempt goes, in answer to ``Output/credentials(_:)``.
    func attempt(_ event: PairingMachine.Event) {
        queue.async { [self] in perform(rules.handle(event)) }
    }

    /// Gives the radio back. The services are gone when this returns.
    func stop() async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            queue.async { [self] in
                scan?.cancel()
                stagingTimer?.cancel()
                lockTimer?.cancel()
                (stagingTimer, lockTimer) = (nil, nil)
                messages = MessageQueue()
                radio.stop()
                yield.finish()
                done.resume()
            }
        }
    }

    // MARK: The radio

    func radioIsReady() { advertise() }

    func radioAdvertises() { yield.yield(.advertising(name: name)) }

    func radioLostItsLinks() {
        for client in clients { leave(client) }
    }

    func radioHasRoom() { sendNotifications() }

    private func advertise() { radio.advertise(rules.advertises ? rules.state : nil) }

    // MARK: Clients

    func radio(didReceiveRead request: CBATTRequest) {
        let client = request.central.identifier
        meet(client)
        guard let attribute = PairingAttribute(uuid: request.characteristic.uuid),
            let value = rules.value(of: attribute, for: client)
        else { return radio.respond(to: request, with: .readNotPermitted) }
        guard request.offset <= value.count else { return radio.respond(to: request, with: .invalidOffset) }
        request.value = Data(value.dropFirst(request.offset))
        radio.respond(to: request, with: .success)
    }

    func radio(didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        let client = first.central.identifier
        meet(client)
        // Else somebody whose link broke, and who is a new client now, would have to wait for the timer.
        for other in clients where other != client && !radio.isSubscribed(other) { leave(other) }
        switch WrittenValue.assembled(from: requests) {
        case .failure(let error):
            radio.respond(to: first, with: error.code)
        case .success(let writes):
            do throws(PairingService.WriteRefusal) {
                for write in writes { try check(write, by: client) }
                let actions = try rules.write(writes, by: client)
                // The answer goes out before anything that moves the radio.
                radio.respond(to: first, with: .success)
                perform(actions)
            } catch {
                log.info("a write was refused: \(error)")
                radio.respond(to: first, with: CBATTError.Code(rawValue: error.rawValue) ?? .unlikelyError)
            }
        }
    }

    /// Whoever talks on an exchange must be able to hear, and must listen to what it has asked for.
    private func check(_ write: WrittenValue, by client: UUID) throws(PairingService.WriteRefusal) {
        guard case .exchange(let layout) = write.attribute else { return }
        guard radio.isSubscribed(client, to: write.attribute) else { throw .notSubscribed }
        let backlog = messages.backlog(of: Lane(layout: layout, client: client))
        guard backlog < MessageQueue.backlogLimit else { throw .busy }
    }

    func radio(client: UUID, didSubscribeTo attribute: PairingAttribute) { meet(client) }

    func radio(client: UUID, didUnsubscribeFrom attribute: PairingAttribute) {
        for layout in PairingLayout.allCases where PairingAttribute.messages(of: layout) == attribute {
            let lane = Lane(layout: layout, client: client)
            messages.close(lane)
            perform(rules.closed(lane))
        }
        if !radio.isSubscribed(client) { leave(client) }
    }

    private func meet(_ client: UUID) {
        guard clients.insert(client).inserted else { return }
        // Clients that never subscribe are never seen to leave.
        if clients.count > Self.rememberedClients { clients = [client] }
        yield.yield(.clientConnected)
    }

    private func leave(_ client: UUID) {
        guard clients.remove(client) != nil else { return }
        for layout in PairingLayout.allCases { messages.close(Lane(layout: layout, client: client)) }
        perform(rules.left(client))
        yield.yield(.clientDisconnected)
    }

    // MARK: What the rules decide

    private func perform(_ actions: [PairingRules.Action]) {
        dispatchPrecondition(condition: .onQueue(queue))
        for action in actions {
            switch action {
            case .publish(let state):
                log.info("phase: \(state.phase)")
                statusIsDue = true
                advertise()
            case .startStagingTimer(let number):
                startStagingTimer(number)
            case .stopStagingTimer:
                stagingTimer?.cancel()
                stagingTimer = nil
            case .scan(let lane):
                messages.endList(lane)
                scan?.start(for: lane)
            case .send(let message, let lane):
                messages.send(message, to: lane)
            case .drop(let lane):
                scan?.forget(lane)
                messages.drop(lane)
            case .enrol(let credentials):
                yield.yield(.credentials(credentials))
            case .advertise:
                advertise()
            case .startLockTimer(let number):
                startLockTimer(number)
            case .note(let note):
                log.warning("\(note)")
                yield.yield(.note(note))
            }
        }
        sendNotifications()
    }

    private func startStagingTimer(_ number: Int) {
        stagingTimer?.cancel()
        stagingTimer = Task { [clock, queue, weak self] in
            guard (try? await clock.sleep(for: PairingService.stagedFieldsLifetime)) != nil else { return }
            queue.async { [weak self] in
                guard let self else { return }
                perform(rules.handle(.stagingTimerEnded(number)))
            }
        }
    }

    private func startLockTimer(_ number: Int) {
        lockTimer = Task { [clock, queue, weak self] in
            guard (try? await clock.sleep(for: SetupCodeTries.lockDuration)) != nil else { return }
            queue.async { [weak self] in
                guard let self else { return }
                perform(rules.lockTimerEnded(number))
            }
        }
    }

    private func send(_ networks: [HeardNetwork]?, to lanes: Set<Lane>) {
        for lane in lanes { messages.start(networks, for: lane) }
        sendNotifications()
    }

    private func sendNotifications() {
        if statusIsDue {
            guard radio.notify(rules.state.encoded(), .standard(.status), to: nil) else { return }
            statusIsDue = false
        }
        while let value = nextNotification() {
            let attribute = PairingAttribute.messages(of: value.lane.layout)
            guard radio.isSubscribed(value.lane.client, to: attribute) else {
                messages.close(value.lane)
                continue
            }
            guard radio.notify(value.bytes, attribute, to: value.lane.client) else { return }
            messages.sent()
        }
    }

    private func nextNotification() -> MessageQueue.Value? {
        messages.next(
            limit: { radio.limit(of: .messages(of: $0.layout), for: $0.client) },
            encode: { rules.encode($0, for: $1) })
    }
}
