import Basics
import CoreBluetooth
import Foundation
import Wire

/// A camera that does as it is told: the other side of the air, made from the protocol document alone.
///
/// Confined to its queue; what tests read is behind a lock.
final class ScriptedCamera: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    // Unchecked because the manager and its characteristics are touched on `queue` only.

    /// What it does.
    struct Script: Sendable {
        var name = "PORCH-A1B2"
        var deviceID: String? = "PLC0123456789ABCDEFGHJKA1B2"
        var networks: [HeardNetwork] = []
        var refusals: [PairingService.Characteristic: PairingService.WriteRefusal] = [:]
        var leavesOut: Set<PairingService.Characteristic> = []
        var answersReads = true
        /// Sent instead of a proper list.
        var rawNotifications: [Data] = []
    }

    private let script: Script
    private let queue = DispatchQueue(label: "scripted-camera")
    private let written = Locked<[PairingService.Characteristic: Data]>([:])
    private let ready: AsyncStream<Void>
    private let readyContinuation: AsyncStream<Void>.Continuation
    private var manager: CBPeripheralManager?
    private var networks: CBMutableCharacteristic?
    private var outbox: [Data] = []

    init(_ script: Script, radio: URL) {
        self.script = script
        (ready, readyContinuation) = AsyncStream.makeStream()
        super.init()
        queue.sync {
            manager = CBPeripheralManager(
                delegate: self, queue: queue, options: [CBManagerOptionRadioDirectoryKey: radio.path])
        }
    }

    /// The fields as they arrived.
    var fields: [PairingService.Characteristic: Data] { written.withLock { $0 } }

    /// Returns once it advertises.
    func advertising() async { for await _ in ready { return } }

    /// Advertises that its attempt has failed, as after having been away.
    func comeBack(_ failure: PairingFailure) {
        queue.sync {
            manager?.stopAdvertising()
            advertise(PairingState(phase: .failed, failure: failure))
        }
    }

    /// Takes its service off the air and stops.
    func vanish() {
        queue.sync {
            manager?.stopAdvertising()
            manager?.removeAllServices()
            manager = nil
        }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: PairingService.standardLayout), primary: true)
        service.characteristics = PairingService.Characteristic.allCases.filter { !script.leavesOut.contains($0) }.map {
            let (properties, permissions): (CBCharacteristicProperties, CBAttributePermissions) =
                switch $0 {
                case .info, .deviceID: (.read, .readable)
                case .networks: ([.write, .notify], .writeable)
                case .status: ([.read, .notify], .readable)
                default: (.write, .writeable)
                }
            let characteristic = CBMutableCharacteristic(
                type: CBUUID(string: $0.rawValue), properties: properties, value: nil, permissions: permissions)
            if $0 == .networks { networks = characteristic }
            return characteristic
        }
        peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        advertise(PairingState(phase: .waiting))
    }

    private func advertise(_ state: PairingState) {
        manager?.startAdvertising([
            CBAdvertisementDataLocalNameKey: script.name,
            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: PairingService.standardLayout)],
            CBAdvertisementDataManufacturerDataKey: PairingAdvertisement(
                state: state, layouts: .standard
            ).manufacturerData,
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        readyContinuation.yield()
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard script.answersReads else { return }
        request.value = Data((script.deviceID ?? "").utf8).dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests {
            guard let field = PairingService.Characteristic(rawValue: request.characteristic.uuid.uuidString),
                let value = request.value
            else { continue }
            if let refusal = script.refusals[field], let code = CBATTError.Code(rawValue: refusal.rawValue) {
                return peripheral.respond(to: requests[0], withResult: code)
            }
            written.withLock { $0[field] = value }
            if field == .networks { sendNetworks(limit: request.central.maximumUpdateValueLength) }
        }
        peripheral.respond(to: requests[0], withResult: .success)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { drain() }

    private func sendNetworks(limit: Int) {
        guard script.rawNotifications.isEmpty else {
            outbox += script.rawNotifications
            return drain()
        }
        let records = script.networks.map { NetworkListRecord.network($0) } + [.end(count: script.networks.count)]
        for (number, record) in records.enumerated() {
            guard let bytes = try? record.encoded(),
                let frames = try? Frame.split(bytes, message: UInt8(truncatingIfNeeded: number), limit: limit)
            else { continue }
            outbox += frames.map(\.encoded)
        }
        drain()
    }

    private func drain() {
        guard let manager, let networks else { return }
        while let next = outbox.first {
            guard manager.updateValue(next, for: networks, onSubscribedCentrals: nil) else { return }
            outbox.removeFirst()
        }
    }
}
