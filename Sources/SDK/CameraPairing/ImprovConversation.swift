import Basics
import CoreBluetooth
import Foundation
import Wire

/// The conversation with an Improv device, from its service until it is on the network.
///
/// Confined to the central's queue. What the device notifies decides, and no order is assumed between its state, its
/// error, its results and the answer to a write: devices differ, and some have joined before they answer the write that
/// told them to. A command for which the device wants its button pressed is held back and goes out once it was.
final class ImprovConversation: NSObject, CameraConversation, CBPeripheralDelegate {
    private typealias Characteristic = ImprovService.Characteristic

    private let setting: ConversationSetting
    private let log = Log("improv")
    private var characteristics: [Characteristic: CBCharacteristic] = [:]
    private var unsubscribed: [Characteristic] = [.error, .result, .state]
    private var capabilities: ImprovCapabilities?
    private var state: ImprovState?
    private var isReady = false

    private var outbox = ImprovOutbox()
    /// Commands that go out when the one before them has been answered: devices read only one at a time.
    private var queued: [ImprovCommand] = []
    private var assembler = ImprovResultAssembler()
    private var networks = ImprovNetworkReader()
    private var networksRead = 0
    /// The command that went out last and has no answer yet: errors do not say what they are about.
    private var asked: ImprovCommand?
    /// What waits for the button.
    private var heldBack: ImprovCommand?
    private var join: Join?
    /// The state has said that an attempt failed, and the error that goes with it may follow: it is not the next one's.
    private var errorMayFollow = false
    private var lastResult: ImprovResult?
    /// A result that was cut off is read in whole, once a command.
    private var reading: Reading = .possible

    /// One attempt to bring the device onto a network, from the moment in which the credentials go out.
    private struct Join {
        /// The app has been told that the device took the credentials.
        var isAcknowledged = false
        var hasBegun = false
        var isDone = false
    }

    private enum Reading { case possible, underWay, done }

    init(_ setting: ConversationSetting) { self.setting = setting }

    // MARK: Commands

    func begin(_ service: CBService) {
        setting.peripheral.delegate = self
        setting.peripheral.discoverCharacteristics(nil, for: service)
    }

    func end() {
        setting.peripheral.delegate = nil
        // It was on the network, and only the page to show next was still to come.
        if join?.isDone == true { finish() }
    }

    /// Improv has no device id; what there is to learn of the device is asked for instead, its name above all.
    func readDeviceID() {
        guard capabilities?.contains(.deviceInfo) == true, asked == nil else { return emit(.deviceID("")) }
        send(.deviceInfo)
    }

    func requestNetworks() {
        guard capabilities?.contains(.scan) == true else { return emit(.networksUnavailable) }
        networks = ImprovNetworkReader()
        networksRead = 0
        switch asked {
        case nil, .scan: send(.scan)
        default: queued = [.scan]
        }
    }

    func write(_ credentials: CameraCredentials) {
        queued = []
        let command = ImprovCommand.join(credentials.ofImprov)
        if state == .authorizationRequired { hold(command) } else { send(command) }
    }

    private func emit(_ event: PairingFlow.Event) { setting.emit(event) }

    private func fail(_ error: CameraPairingError) { setting.fail(error) }

    private func send(_ command: ImprovCommand) {
        guard let characteristic = characteristics[.command] else { return }
        assembler.reset()
        (reading, lastResult) = (.possible, nil)
        asked = command
        if case .join = command { join = Join() }
        do {
            outbox.add(try command.encoded())
        } catch {
            return emit(.refused(.invalidField(error), inDoubt: false))
        }
        outbox.writeNext(to: characteristic, of: setting.peripheral)
    }

    /// The command under way has its answer.
    private func answered() {
        asked = nil
        if !queued.isEmpty { send(queued.removeFirst()) }
    }

    private func hold(_ command: ImprovCommand) {
        heldBack = command
        emit(.buttonPress(awaited: true))
    }

    // MARK: Set-up

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        if let error { return fail(.connectionFailed(error.localizedDescription)) }
        for characteristic in service.characteristics ?? [] {
            if let known = Characteristic(rawValue: characteristic.uuid.uuidString) {
                characteristics[known] = characteristic
            }
        }
        if let missing = Characteristic.allCases.first(where: { characteristics[$0] == nil }) {
            return fail(.notACamera(missing: "\(missing) characteristic"))
        }
        subscribeNext()
    }

    private func subscribeNext() {
        if let next = unsubscribed.first.flatMap({ characteristics[$0] }) {
            setting.peripheral.setNotifyValue(true, for: next)
        } else if let capabilities = characteristics[.capabilities], let state = characteristics[.state] {
            setting.peripheral.readValue(for: capabilities)
            setting.peripheral.readValue(for: state)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard let next = unsubscribed.first, characteristic.uuid == characteristics[next]?.uuid else { return }
        if let error { return fail(.connectionFailed(error.localizedDescription)) }
        unsubscribed.removeFirst()
        subscribeNext()
    }

    private func becomeReady() {
        guard !isReady, capabilities != nil, let state else { return }
        switch state {
        case .provisioned: return fail(.alreadyOnNetwork)
        case .provisioning: return fail(.cameraBusy)
        case .authorized, .authorizationRequired: break
        }
        isReady = true
        emit(.linkReady(setting.peripheral.identifier, .improv))
        if state == .authorizationRequired { emit(.buttonPress(awaited: true)) }
    }

    // MARK: What the device says

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let known = Characteristic(rawValue: characteristic.uuid.uuidString) else { return }
        if let error { return readFailed(known, error) }
        let value = characteristic.value ?? Data()
        do {
            switch known {
            case .state: stateTold(try ImprovState(decoding: value))
            case .error: errorTold(try ImprovErrorState(decoding: value))
            case .result: try resultTold(value)
            case .capabilities:
                capabilities = try ImprovCapabilities(decoding: value)
                becomeReady()
            case .command: break
            }
        } catch {
            log.warning("the device's \(known) was not understood: \(error)")
            if !isReady { fail(.connectionFailed("the device's \(known) was not understood: \(error)")) }
        }
    }

    private func readFailed(_ characteristic: Characteristic, _ error: any Error) {
        // The end of the link is told as such.
        guard error is CBATTError else { return }
        if !isReady { return fail(.connectionFailed(error.localizedDescription)) }
        if characteristic == .result { readingEnded() }
    }

    private func readingEnded() {
        reading = .done
        if join?.isDone == true { finish() }
    }

    private func stateTold(_ new: ImprovState) {
        let old = state
        state = new
        guard isReady else { return becomeReady() }
        switch new {
        case .authorizationRequired:
            if join?.hasBegun == true { return joinFailedByState() }
            if old != new { emit(.buttonPress(awaited: true)) }
        case .authorized:
            if join?.hasBegun == true { return joinFailedByState() }
            if old != new { emit(.buttonPress(awaited: false)) }
            if let command = heldBack {
                heldBack = nil
                send(command)
            }
        case .provisioning:
            errorMayFollow = false
            guard join != nil else { return }
            acknowledge()
            join?.hasBegun = true
        case .provisioned:
            guard join != nil else { return }
            acknowledge()
            join?.isDone = true
            finishAfterResult()
        }
    }

    private func errorTold(_ error: ImprovErrorState) {
        let isOfBefore = errorMayFollow && error == .unableToConnect
        errorMayFollow = false
        guard error != .none, !isOfBefore, let command = asked else { return }
        answered()
        switch (error, command) {
        case (.notAuthorized, _): notAuthorized(command)
        case (.unableToConnect, .join): joinFailed(.couldNotJoin)
        case (.unknown, .join): joinFailed(.internalFault)
        case (_, .join):
            join = nil
            emit(.refused(.fieldRefused(field: "credentials", refusal: nil), inDoubt: false))
        case (.unknownCommand, .scan): emit(.networksUnavailable)
        case (_, .scan): emit(.record(.failed))
        case (_, .deviceInfo): emit(.deviceID(""))
        case (_, .identify), (_, .hostname): break
        }
    }

    /// The minute has passed within which the device takes credentials, or its state lagged behind.
    private func notAuthorized(_ command: ImprovCommand) {
        if case .deviceInfo = command { return emit(.deviceID("")) }
        if case .join = command { join = nil }
        state = .authorizationRequired
        hold(command)
    }

    private func joinFailedByState() {
        joinFailed(.couldNotJoin)
        errorMayFollow = true
    }

    private func joinFailed(_ failure: PairingFailure) {
        guard join?.isDone == false else { return }
        acknowledge()
        (join, asked) = (nil, nil)
        emit(.state(PairingState(phase: .failed, failure: failure)))
    }

    /// Tells the app, once, that the device has taken the credentials.
    private func acknowledge() {
        guard join?.isAcknowledged == false else { return }
        join?.isAcknowledged = true
        emit(.written)
        emit(.state(PairingState(phase: .joining)))
    }

    /// The device may have said 'provisioned' before it has sent the page to show next.
    private func finishAfterResult() {
        guard reading != .done, let result = characteristics[.result] else { return finish() }
        guard reading == .possible else { return }
        reading = .underWay
        setting.peripheral.readValue(for: result)
    }

    private func finish() {
        (join, asked) = (nil, nil)
        emit(.state(PairingState(phase: .done)))
    }

    // MARK: Results

    private func resultTold(_ value: Data) throws(WireError) {
        if reading == .underWay, let whole = try? ImprovResult(decoding: value) {
            assembler.reset()
            reading = .done
            // What came in pieces meanwhile is not taken twice.
            if whole != lastResult || join?.isDone == true { take(whole) }
            return
        }
        if join?.isDone == true, reading == .underWay { return readingEnded() }
        if let result = try assembler.receive(value) { return take(result) }
        // The rest comes in another notification, or never: then reading gives the whole.
        if reading == .possible, let characteristic = characteristics[.result] {
            reading = .underWay
            setting.peripheral.readValue(for: characteristic)
        }
    }

    private func take(_ result: ImprovResult) {
        lastResult = result
        if result.command == asked?.code { answered() }
        switch result.command {
        case .scan: if join?.isDone != true { list(result) }
        case .deviceInfo: describe(result)
        case .join:
            guard join != nil else { return }
            if let page = result.redirect { emit(.page(page)) }
            acknowledge()
            return finish()
        case .identify, .hostname, nil: break
        }
        if join?.isDone == true { finish() }
    }

    private func list(_ result: ImprovResult) {
        let reading = networks.read(result)
        for fault in reading.faults { log.warning("a network was ignored: \(fault)") }
        for network in reading.networks { emit(.record(.network(network))) }
        networksRead += reading.networks.count
        if result.strings.isEmpty {
            emit(.record(.end(count: networksRead)))
        } else {
            emit(.networksPaused)
        }
    }

    private func describe(_ result: ImprovResult) {
        do {
            emit(.named(try ImprovDeviceInfo(result).name))
        } catch {
            log.warning("what the device says of itself was not understood: \(error)")
        }
        emit(.deviceID(""))
    }

    // MARK: Writes

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        guard characteristic.uuid == characteristics[.command]?.uuid else { return }
        if let error {
            if outbox.retryInPieces(after: error, of: peripheral) {
                return outbox.writeNext(to: characteristic, of: peripheral)
            }
            return writeFailed(error)
        }
        outbox.written()
        if outbox.isEmpty {
            if case .join? = asked { acknowledge() }
        } else {
            outbox.writeNext(to: characteristic, of: peripheral)
        }
    }

    private func writeFailed(_ error: any Error) {
        outbox = ImprovOutbox()
        let command = asked
        asked = nil
        queued = []
        log.warning("the device did not take a command: \(error.localizedDescription)")
        let inDoubt: Bool
        switch ConversationSetting.meaning(of: error) {
        case .refusal: inDoubt = false
        case .doubtful: inDoubt = true
        case .endOfLink: return
        }
        switch command {
        case .join:
            join = nil
            emit(.refused(.fieldRefused(field: "credentials", refusal: nil), inDoubt: inDoubt))
        case .scan: emit(.refused(.networkScanFailed, inDoubt: inDoubt))
        // In doubt its timer settles it.
        case .deviceInfo: if !inDoubt { emit(.deviceID("")) }
        case .identify, .hostname, nil: break
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard invalidatedServices.contains(where: { $0.uuid == ConversationKind.improv.service }) else { return }
        // A device on the network takes its service away.
        if join?.isDone == true { return finish() }
        fail(join?.isAcknowledged == true ? .noOutcome : .linkLost)
    }
}
