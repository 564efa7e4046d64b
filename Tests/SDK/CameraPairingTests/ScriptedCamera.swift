import Basics
import Combine
import CoreBluetooth
import Foundation
import TestSupport
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
        var layouts: [PairingLayout] = [.standard]
        var exchange = ScriptedExchange.Script()
        var mtu = 517
        /// Played instead of everything else.
        var transcript: Transcript?
        /// Sent instead of a proper list.
        var rawNotifications: [Data] = []
    }

    private let script: Script
    private let queue = DispatchQueue(label: "scripted-camera")
    private let written = Locked<[PairingService.Characteristic: Data]>([:])
    private let ready: AsyncStream<Void>
    private let readyContinuation: AsyncStream<Void>.Continuation
    private var manager: CBPeripheralManager?
    private var characteristics: [CBUUID: CBMutableCharacteristic] = [:]
    private var outbox: [(value: Data, characteristic: CBUUID)] = []
    private var exchange: ScriptedExchange
    private let subscribers = CurrentValueSubject<Int, Never>(0)
    private let received = CurrentValueSubject<Int, Never>(0)
    private let silence = Locked(false)
    private let played: Locked<TranscriptPlayer?>
    private let log = Locked<(requests: [ExchangeRequest], attRequests: Int)>(([], 0))
    private var servicesToAdd = 0

    init(_ script: Script, radio: URL) {
        self.script = script
        exchange = ScriptedExchange(script)
        played = Locked(script.transcript.map(TranscriptPlayer.init))
        (ready, readyContinuation) = AsyncStream.makeStream()
        let conditions = RadioConditions()
        conditions.mtu = script.mtu
        super.init()
        queue.sync {
            manager = CBPeripheralManager(
                delegate: self, queue: queue,
                options: [
                    CBManagerOptionRadioDirectoryKey: radio.path, CBManagerOptionRadioConditionsKey: conditions,
                ])
        }
    }

    /// The fields as they arrived.
    var fields: [PairingService.Characteristic: Data] { written.withLock { $0 } }

    /// The messages of the exchange, in their order.
    var requests: [ExchangeRequest] { log.withLock { $0.requests } }
    /// How many requests have arrived of those that a client makes once it knows the services.
    var attRequests: Int { log.withLock { $0.attRequests } }

    /// How far the transcript has been played.
    var player: TranscriptPlayer? { played.withLock { $0 } }

    /// Keeps the last state of an attempt to itself.
    var holdsBackTheEnd: Bool {
        get { silence.withLock { $0 } }
        set { silence.withLock { $0 = newValue } }
    }

    /// Returns once no client is there, which it knows by their subscriptions.
    func left() async { for await count in subscribers.values where count == 0 { return } }

    /// Returns once as many messages of the exchange have arrived.
    func received(_ count: Int) async { for await arrived in received.values where arrived >= count { return } }

    /// Returns once it advertises.
    func advertising() async { for await _ in ready { return } }

    /// Advertises that its attempt has failed, as after having been away.
    func comeBack(_ failure: PairingFailure) {
        queue.sync {
            manager?.stopAdvertising()
            advertise(PairingState(phase: .failed, failure: failure))
        }
    }

    /// Advertises no more, and goes on otherwise.
    func fallSilent() { queue.sync { manager?.stopAdvertising() } }

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
        servicesToAdd = script.layouts.count
        for layout in script.layouts {
            let service = CBMutableService(type: CBUUID(string: layout.service), primary: true)
            let characteristics = layout.exchange.map { [exchangeCharacteristic($0)] } ?? standardCharacteristics
            for characteristic in characteristics { self.characteristics[characteristic.uuid] = characteristic }
            service.characteristics = characteristics
            peripheral.add(service)
        }
    }

    private var standardCharacteristics: [CBMutableCharacteristic] {
        PairingService.Characteristic.allCases.filter { !script.leavesOut.contains($0) }.map {
            let (properties, permissions): (CBCharacteristicProperties, CBAttributePermissions) =
                switch $0 {
                case .info, .deviceID: (.read, .readable)
                case .networks: ([.write, .notify], .writeable)
                case .status: ([.read, .notify], .readable)
                default: (.write, .writeable)
                }
            return CBMutableCharacteristic(
                type: CBUUID(string: $0.rawValue), properties: properties, value: nil, permissions: permissions)
        }
    }

    private func exchangeCharacteristic(_ uuid: String) -> CBMutableCharacteristic {
        CBMutableCharacteristic(
            type: CBUUID(string: uuid), properties: [.read, .write, .notify], value: nil,
            permissions: [.readable, .writeable])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        servicesToAdd -= 1
        if servicesToAdd == 0 { advertise(PairingState(phase: .waiting)) }
    }

    private var layouts: PairingInfo.Layouts { script.layouts.reduce(into: []) { $0.insert(.init($1)) } }

    private func advertise(_ state: PairingState) {
        manager?.startAdvertising([
            CBAdvertisementDataLocalNameKey: script.name,
            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: (layouts.advertised ?? .standard).service)],
            CBAdvertisementDataManufacturerDataKey: PairingAdvertisement(state: state, layouts: layouts)
                .manufacturerData,
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        readyContinuation.yield()
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        log.withLock { $0.attRequests += 1 }
        subscribers.send(subscribers.value + 1)
        let layout = script.layouts.first { $0.exchange == characteristic.uuid.uuidString }
        exchange = ScriptedExchange(script, layout: layout ?? .standard)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        subscribers.send(subscribers.value - 1)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        log.withLock { $0.attRequests += 1 }
        guard script.answersReads else { return }
        if let value = played.withLock({ $0?.read(Self.name(request.characteristic)) }) {
            request.value = value.dropFirst(request.offset)
            return peripheral.respond(to: request, withResult: .success)
        }
        guard PairingService.Characteristic(rawValue: request.characteristic.uuid.uuidString) != nil else {
            request.value = exchange.position
            return peripheral.respond(to: request, withResult: .success)
        }
        request.value = Data((script.deviceID ?? "").utf8).dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        log.withLock { $0.attRequests += 1 }
        for request in requests {
            let name = Self.name(request.characteristic)
            if let answers = played.withLock({ $0?.write(request.value ?? Data(), to: name) }) {
                peripheral.respond(to: request, withResult: .success)
                return send(answers, on: request.characteristic.uuid)
            }
            if script.layouts.contains(where: { $0.exchange == request.characteristic.uuid.uuidString }) {
                return take(request, peripheral)
            }
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

    /// The name that the document gives it.
    private static func name(_ characteristic: CBCharacteristic) -> String {
        PairingService.Characteristic(rawValue: characteristic.uuid.uuidString).map { "\($0)" } ?? "exchange"
    }

    private func take(_ request: CBATTRequest, _ peripheral: CBPeripheralManager) {
        exchange.holdsBackTheEnd = holdsBackTheEnd
        let (result, notifications) = exchange.write(
            request.value ?? Data(), limit: request.central.maximumUpdateValueLength)
        log.withLock { $0.requests = exchange.requests }
        received.send(exchange.requests.count)
        peripheral.respond(to: request, withResult: CBATTError.Code(rawValue: result) ?? .unlikelyError)
        send(notifications, on: request.characteristic.uuid)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { drain() }

    private func sendNetworks(limit: Int) {
        guard script.rawNotifications.isEmpty else {
            return send(script.rawNotifications, on: CBUUID(string: PairingService.Characteristic.networks.rawValue))
        }
        var notifications: [Data] = []
        let records = script.networks.map { NetworkListRecord.network($0) } + [.end(count: script.networks.count)]
        for (number, record) in records.enumerated() {
            guard let bytes = try? record.encoded(),
                let frames = try? Frame.split(bytes, message: UInt8(truncatingIfNeeded: number), limit: limit)
            else { continue }
            notifications += frames.map(\.encoded)
        }
        send(notifications, on: CBUUID(string: PairingService.Characteristic.networks.rawValue))
    }

    private func send(_ values: [Data], on characteristic: CBUUID) {
        outbox += values.map { ($0, characteristic) }
        drain()
    }

    private func drain() {
        guard let manager else { return }
        while let next = outbox.first, let characteristic = characteristics[next.characteristic] {
            guard manager.updateValue(next.value, for: characteristic, onSubscribedCentrals: nil) else { return }
            outbox.removeFirst()
        }
    }
}
