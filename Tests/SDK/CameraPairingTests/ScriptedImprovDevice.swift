import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Wire

/// An Improv device that does as it is told: the other side of the air, made from the standard alone.
///
/// Confined to its queue; what tests read is behind a lock.
final class ScriptedImprovDevice: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    // Unchecked because the manager, its characteristics and the outbox are touched on `queue` only.

    /// One thing that it does in answer to a command, or by itself.
    enum Step: Sendable {
        case state(ImprovState)
        case error(ImprovErrorState)
        case result(ImprovCommand.Code, [String])
        /// Notifies this, whatever it may be.
        case raw(ImprovService.Characteristic, Data)
        /// Answers the write; at the end if not said.
        case acknowledge
        case refuse(CBATTError.Code)
        /// Leaves the air without a word.
        case vanish
    }

    /// What it is.
    struct Script: Sendable {
        var name: String? = "garden-cam"
        var state = ImprovState.authorized
        /// What it advertises beside its service; nil for revision 1.
        var serviceData: Data?
        var capabilities = Data([ImprovCapabilities([.identify, .deviceInfo, .scan]).rawValue])
        var leavesOut: Set<ImprovService.Characteristic> = []
        var takesLongWrites = true
        /// Longer results are notified in pieces of this size; else cut off by the radio.
        var pieceSize: Int?
        var answer: @Sendable (ImprovCommand) -> [Step] = Self.usual

        /// Joins whatever it is told, and hears three networks.
        static let usual: @Sendable (ImprovCommand) -> [Step] = { command in
            switch command {
            case .join:
                [
                    .acknowledge, .state(.provisioning), .result(.join, ["http://10.0.0.7/"]), .state(.provisioned),
                ]
            case .deviceInfo: [.result(.deviceInfo, ["firmware", "1.0", "chip", "Garden camera"])]
            case .scan:
                [
                    .result(
                        .scan, ["Home", "-48", "WPA2", "Café", "-61", "NO", "Home", "-80", "WPA2", "Old", "-70", "WEP"])
                ]
            case .identify, .hostname: []
            }
        }
    }

    private let script: Script
    private let queue = DispatchQueue(label: "scripted-improv-device")
    private let heard = Locked<[ImprovCommand]>([])
    /// Each command, for who waits for one.
    let arrivals = Recorder<ImprovCommand>()
    private let writes = Locked<[Data]>([])
    private let ready: AsyncStream<Void>
    private let readyContinuation: AsyncStream<Void>.Continuation
    private var manager: CBPeripheralManager?
    private var characteristics: [ImprovService.Characteristic: CBMutableCharacteristic] = [:]
    private var values: [ImprovService.Characteristic: Data]
    private var outbox: [(ImprovService.Characteristic, Data)] = []
    private var incoming = Data()

    init(_ script: Script, radio: URL, conditions: RadioConditions = RadioConditions()) {
        self.script = script
        values = [
            .state: Data([script.state.rawValue]), .error: Data([0]), .result: Data(),
            .capabilities: script.capabilities,
        ]
        (ready, readyContinuation) = AsyncStream.makeStream()
        super.init()
        queue.sync {
            manager = CBPeripheralManager(
                delegate: self, queue: queue,
                options: [
                    CBManagerOptionRadioDirectoryKey: radio.path, CBManagerOptionRadioConditionsKey: conditions,
                ])
        }
    }

    /// The commands that it understood.
    var commands: [ImprovCommand] { heard.withLock { $0 } }

    /// The values that were written, as they came.
    var written: [Data] { writes.withLock { $0 } }

    /// Returns once it advertises.
    func advertising() async { for await _ in ready { return } }

    /// Does something by itself, such as when its button is pressed.
    func carryOut(_ steps: Step...) { queue.sync { for step in steps { _ = perform(step, nil) } } }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: ImprovService.service), primary: true)
        service.characteristics = ImprovService.Characteristic.allCases.filter { !script.leavesOut.contains($0) }.map {
            let (properties, permissions): (CBCharacteristicProperties, CBAttributePermissions) =
                switch $0 {
                case .capabilities: (.read, .readable)
                case .command: (.write, .writeable)
                case .state, .error, .result: ([.read, .notify], .readable)
                }
            let characteristic = CBMutableCharacteristic(
                type: CBUUID(string: $0.rawValue), properties: properties, value: nil, permissions: permissions)
            characteristics[$0] = characteristic
            return characteristic
        }
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        var advertisement: [String: Any] = [
            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: ImprovService.service)]
        ]
        if let name = script.name { advertisement[CBAdvertisementDataLocalNameKey] = name }
        if let data = script.serviceData {
            advertisement[CBAdvertisementDataServiceDataKey] = [CBUUID(string: ImprovService.serviceData): data]
        }
        peripheral.startAdvertising(advertisement)
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        readyContinuation.yield()
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let known = ImprovService.Characteristic(rawValue: request.characteristic.uuid.uuidString)
        request.value = (known.flatMap { values[$0] } ?? Data()).dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        let value = requests.reduce(into: Data()) { $0 += $1.value ?? Data() }
        if value.count > requests[0].central.maximumUpdateValueLength, !script.takesLongWrites {
            return peripheral.respond(to: requests[0], withResult: .requestNotSupported)
        }
        writes.withLock { $0.append(value) }
        incoming += value
        guard let length = incoming.dropFirst().first, incoming.count >= Int(length) + 3 else {
            return peripheral.respond(to: requests[0], withResult: .success)
        }
        var steps: [Step] = [.error(.invalidCommand)]
        if let command = try? ImprovCommand(decoding: incoming) {
            heard.withLock { $0.append(command) }
            arrivals.record(command)
            steps = [.error(.none)] + script.answer(command)
        }
        incoming = Data()
        var isAnswered = false
        for step in steps where perform(step, isAnswered ? nil : requests[0]) { isAnswered = true }
        if !isAnswered, manager != nil { peripheral.respond(to: requests[0], withResult: .success) }
    }

    /// Whether it has answered the write.
    private func perform(_ step: Step, _ request: CBATTRequest?) -> Bool {
        switch step {
        case .state(let state): notify(.state, Data([state.rawValue]))
        case .error(let error): notify(.error, Data([error.code]))
        case .result(let code, let strings):
            let frame = try? ImprovResult(code: code, strings: strings.map { Data($0.utf8) }).encoded()
            if let frame { notify(.result, frame) }
        case .raw(let characteristic, let value): notify(characteristic, value)
        case .acknowledge:
            if let request { manager?.respond(to: request, withResult: .success) }
            return true
        case .refuse(let code):
            if let request { manager?.respond(to: request, withResult: code) }
            return true
        case .vanish:
            manager?.stopAdvertising()
            manager?.removeAllServices()
            manager = nil
        }
        return false
    }

    private func notify(_ characteristic: ImprovService.Characteristic, _ value: Data) {
        values[characteristic] = value
        if characteristic == .result, let size = script.pieceSize {
            outbox += stride(from: 0, to: value.count, by: size).map {
                (characteristic, Data(value.dropFirst($0).prefix(size)))
            }
        } else {
            outbox.append((characteristic, value))
        }
        drain()
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { drain() }

    private func drain() {
        while let (characteristic, value) = outbox.first, let manager, let target = characteristics[characteristic] {
            guard manager.updateValue(value, for: target, onSubscribedCentrals: nil) else { return }
            outbox.removeFirst()
        }
    }
}
