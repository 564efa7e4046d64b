import Basics
import CoreBluetooth
import Dispatch
import Foundation
import Wire

/// Offers the pairing service over Bluetooth: carries what clients do to ``PairingMachine``, and what it decides to them.
///
/// All state is confined to one serial queue, which is the peripheral manager's queue too; methods may be called from any
/// thread. CoreBluetooth reports no connections, so a client counts from its first read, write or subscription, and has
/// left when its last subscription ends, which a lost link does as well. A client without a subscription is never seen to
/// leave, so it loses what it staged by the timer, or as soon as another client writes.
final class PairingPeripheral: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    // Unchecked because the mutable properties are touched on `queue` only.

    /// What the camera learns.
    enum Output: Sendable, Equatable {
        /// The service is offered under this name.
        case advertising(name: String)
        /// A client was met.
        case clientConnected
        /// That client has left.
        case clientDisconnected
        /// A client has applied these; its write has been acknowledged.
        case credentials(PairingCredentials)
    }

    typealias Characteristic = PairingService.Characteristic

    /// A scan that takes longer has failed.
    static let scanLimit: Duration = .seconds(30)
    /// How long ``start()`` waits for an adapter that is not there or not on: at the start of a machine the daemon comes
    /// after the camera, and switches its adapters on after that.
    static let radioLimit: Duration = .seconds(30)
    private static let rememberedClients = 64

    /// What happens, for one consumer; ends with ``stop()``.
    let outputs: AsyncStream<Output>
    private let yield: AsyncStream<Output>.Continuation

    private let queue = DispatchQueue(label: "porchlight.camera.pairing")
    private let log = Log("pairing")
    private let deviceID: DeviceID
    private let info: Data
    private let joiner: any NetworkJoiner
    private let clock: any Clock<Duration>
    private let options: [String: any Sendable]

    private var manager: CBPeripheralManager?
    private var characteristics: [Characteristic: CBMutableCharacteristic] = [:]
    private var starting: CheckedContinuation<Result<Void, CameraError>, Never>?
    private var radioTimer: Task<Void, Never>?
    /// Why the radio that is waited for is not there.
    private var radioReason = ""
    private var isOver = false
    private var machine = PairingMachine()
    private var lists = NetworkListQueue()
    private var statusIsDue = false
    private var advertised: PairingState?
    private var clients: Set<UUID> = []
    private var scanning: Task<Void, Never>?
    private var scanners: Set<UUID> = []
    private var stagingTimer: Task<Void, Never>?

    /// Prepares the service.
    /// - Parameter options: For the peripheral manager.
    init(
        identity: CameraIdentity, model: String, joiner: any NetworkJoiner, clock: any Clock<Duration>,
        options: [String: any Sendable]
    ) throws(CameraError) {
        var capabilities: PairingInfo.Capabilities = []
        if joiner.managesWiFi { capabilities.insert(.managesWiFi) }
        if joiner.joinsFiveGigahertz { capabilities.insert(.fiveGigahertz) }
        do {
            info = try PairingInfo(layouts: .standard, capabilities: capabilities, model: model).encoded()
        } catch {
            throw .badModelName
        }
        deviceID = identity.deviceID
        self.joiner = joiner
        self.clock = clock
        self.options = options
        (outputs, yield) = AsyncStream.makeStream()
    }

    /// The advertised name.
    var name: String { PairingService.advertisedNamePrefix + deviceID.ending }

    /// Takes the radio, waits for it if it is not on yet, and advertises. Returns once the service can be found.
    /// - Throws: ``CameraError``: `stopped` when the task is cancelled or ``stop()`` is called meanwhile.
    func start() async throws(CameraError) {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, CameraError>, Never>) in
                queue.async { [self] in
                    guard !isOver else { return continuation.resume(returning: .failure(.stopped)) }
                    starting = continuation
                    manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
                }
            }
        } onCancel: {
            queue.async { [self] in
                isOver = true
                finishStarting(.failure(.stopped))
            }
        }
        try result.get()
    }

    /// Tells how the attempt goes, in answer to ``Output/credentials(_:)``.
    func attempt(_ event: PairingMachine.Event) {
        queue.async { [self] in perform(machine.handle(event)) }
    }

    /// Gives the radio back. The service is gone when this returns.
    func stop() async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            queue.async { [self] in
                isOver = true
                finishStarting(.failure(.stopped))
                scanning?.cancel()
                stagingTimer?.cancel()
                (scanning, stagingTimer) = (nil, nil)
                lists = NetworkListQueue()
                if let manager, manager.state == .poweredOn {
                    manager.stopAdvertising()
                    manager.removeAllServices()
                }
                manager?.delegate = nil
                manager = nil
                characteristics = [:]
                yield.finish()
                done.resume()
            }
        }
    }

    // MARK: The radio

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        dispatchPrecondition(condition: .onQueue(queue))
        switch peripheral.state {
        case .poweredOn:
            radioTimer?.cancel()
            radioTimer = nil
            offerService(peripheral)
        case .poweredOff:
            waitForRadio(peripheral.stateReason ?? "Bluetooth is switched off")
            linksAreLost()
        case .unsupported:
            waitForRadio(peripheral.stateReason ?? "this machine has no radio")
            linksAreLost()
        case .unauthorized:
            finishStarting(.failure(.noRadio(reason: peripheral.stateReason ?? "this account may not use Bluetooth")))
            linksAreLost()
        case .unknown, .resetting:
            linksAreLost()
        @unknown default:
            break
        }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error {
            log.error("the pairing service was refused by the radio: \(error)")
            finishStarting(.failure(.noRadio(reason: "it refused the pairing service: \(error)")))
        } else {
            advertise()
        }
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error {
            log.error("advertising failed: \(error)")
            advertised = nil
            finishStarting(.failure(.noRadio(reason: "advertising failed: \(error)")))
        } else {
            if starting != nil { yield.yield(.advertising(name: name)) }
            finishStarting(.success(()))
        }
    }

    private func waitForRadio(_ reason: String) {
        guard starting != nil else { return }
        log.warning("\(reason): waiting up to \(Self.radioLimit) for it")
        radioReason = reason
        guard radioTimer == nil else { return }
        radioTimer = Task { [weak self, clock, queue] in
            guard (try? await clock.sleep(for: Self.radioLimit)) != nil, !Task.isCancelled else { return }
            queue.async { [weak self] in
                guard let self, radioTimer != nil else { return }
                finishStarting(.failure(.noRadio(reason: radioReason)))
            }
        }
    }

    private func finishStarting(_ result: Result<Void, CameraError>) {
        radioTimer?.cancel()
        radioTimer = nil
        starting?.resume(returning: result)
        starting = nil
    }

    private func offerService(_ manager: CBPeripheralManager) {
        manager.removeAllServices()
        characteristics = [:]
        for characteristic in Characteristic.allCases {
            let (properties, permissions) = Self.access(to: characteristic)
            characteristics[characteristic] = CBMutableCharacteristic(
                type: CBUUID(string: characteristic.rawValue), properties: properties, value: nil,
                permissions: permissions)
        }
        let service = CBMutableService(type: CBUUID(string: PairingService.standardLayout), primary: true)
        service.characteristics = Characteristic.allCases.compactMap { characteristics[$0] }
        manager.add(service)
    }

    private static func access(
        to characteristic: Characteristic
    ) -> (CBCharacteristicProperties, CBAttributePermissions) {
        switch characteristic {
        case .info, .deviceID: (.read, .readable)
        case .networks: ([.write, .notify], .writeable)
        case .status: ([.read, .notify], .readable)
        // Without `writeWithoutResponse`: a refusal could not be told.
        case .ssid, .security, .password, .sessionKey, .region, .environment: (.write, .writeable)
        }
    }

    /// Starts or stops advertising, or renews it with the present state.
    private func advertise() {
        guard let manager, manager.state == .poweredOn else { return }
        let wanted = machine.advertises ? machine.state : nil
        guard wanted != advertised else { return }
        // After a power cut the manager resumes what it advertised, which may be out of date.
        if advertised != nil || manager.isAdvertising { manager.stopAdvertising() }
        advertised = wanted
        guard let wanted else { return }
        manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: name,
            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: PairingService.standardLayout)],
            CBAdvertisementDataManufacturerDataKey: PairingAdvertisement(
                state: wanted, layouts: .standard
            ).manufacturerData,
        ])
    }

    private func linksAreLost() {
        advertised = nil
        for client in clients { leave(client) }
    }

    // MARK: Clients

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        meet(request.central.identifier)
        let value: Data
        switch Characteristic(uuid: request.characteristic.uuid) {
        case .info: value = info
        case .deviceID: value = Data(deviceID.rawValue.utf8)
        case .status: value = machine.state.encoded()
        case .networks, .ssid, .security, .password, .sessionKey, .region, .environment, nil:
            return peripheral.respond(to: request, withResult: .readNotPermitted)
        }
        guard request.offset <= value.count else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = Data(value.dropFirst(request.offset))
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        meet(first.central.identifier)
        // Else somebody whose link broke, and who is a new client now, would have to wait for the timer.
        for other in clients where other != first.central.identifier && !isSubscribed(other) { leave(other) }
        switch WrittenValue.assembled(from: requests) {
        case .failure(let error):
            peripheral.respond(to: first, withResult: error.code)
        case .success(let writes):
            // On a copy: several values that come together are taken all or none.
            var next = machine
            var actions: [PairingMachine.Action] = []
            do throws(PairingService.WriteRefusal) {
                for write in writes {
                    actions += try next.write(write.bytes, to: write.characteristic, by: first.central.identifier)
                }
            } catch {
                log.info("a write was refused: \(error)")
                let code = CBATTError.Code(rawValue: error.rawValue) ?? .unlikelyError
                return peripheral.respond(to: first, withResult: code)
            }
            machine = next
            // The answer goes out before anything that moves the radio.
            peripheral.respond(to: first, withResult: .success)
            perform(actions)
        }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        meet(central.identifier)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        let client = central.identifier
        if Characteristic(uuid: characteristic.uuid) == .networks { lists.cancel(client) }
        if !isSubscribed(client) { leave(client) }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { sendNotifications() }

    private func meet(_ client: UUID) {
        guard clients.insert(client).inserted else { return }
        // Clients that never subscribe are never seen to leave.
        if clients.count > Self.rememberedClients { clients = [client] }
        yield.yield(.clientConnected)
    }

    private func leave(_ client: UUID) {
        guard clients.remove(client) != nil else { return }
        scanners.remove(client)
        perform(machine.handle(.left(client)))
        yield.yield(.clientDisconnected)
    }

    private func isSubscribed(_ client: UUID) -> Bool {
        [Characteristic.networks, .status].contains { subscriber(client, to: $0) != nil }
    }

    private func subscriber(_ client: UUID, to characteristic: Characteristic) -> CBCentral? {
        characteristics[characteristic]?.subscribedCentrals?.first { $0.identifier == client }
    }

    // MARK: What the machine decides

    private func perform(_ actions: [PairingMachine.Action]) {
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
            case .scan(let client):
                scan(for: client)
            case .forget(let client):
                lists.forget(client)
            case .enrol(let credentials):
                yield.yield(.credentials(credentials))
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
                perform(machine.handle(.stagingTimerEnded(number)))
            }
        }
    }

    /// One scan serves all who asked while it ran.
    private func scan(for client: UUID) {
        lists.cancel(client)
        scanners.insert(client)
        guard scanning == nil else { return }
        scanning = Task { [joiner, clock, log, queue, weak self] in
            let networks: [HeardNetwork]?? = await limited(to: Self.scanLimit, on: clock) {
                do {
                    return try await joiner.scan().merged()
                } catch {
                    log.warning("the network scan failed: \(error)")
                    return nil
                }
            }
            queue.async { [weak self] in self?.scanEnded(networks ?? nil) }
        }
    }

    private func scanEnded(_ networks: [HeardNetwork]?) {
        guard scanning != nil else { return }
        scanning = nil
        for client in scanners {
            do {
                try lists.start(networks, for: client)
            } catch {
                preconditionFailure("merged networks are within their limits: \(error)")
            }
        }
        scanners = []
        sendNotifications()
    }

    private func sendNotifications() {
        guard let manager, manager.state == .poweredOn else { return }
        if statusIsDue, let status = characteristics[.status] {
            guard manager.updateValue(machine.state.encoded(), for: status, onSubscribedCentrals: nil) else { return }
            statusIsDue = false
        }
        guard let networks = characteristics[.networks] else { return }
        while let value = lists.next(limit: { subscriber($0, to: .networks)?.maximumUpdateValueLength }) {
            guard let central = subscriber(value.client, to: .networks) else {
                lists.cancel(value.client)
                continue
            }
            guard manager.updateValue(value.bytes, for: networks, onSubscribedCentrals: [central]) else { return }
            lists.sent()
        }
    }
}
