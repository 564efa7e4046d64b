import CoreBluetooth
import Foundation

/// A central that does one row of the benchmark after the other, by CoreBluetooth's delegate calls alone.
///
/// Its state lives on `queue`, which is also the manager's.
final class Client: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    // Unchecked because everything that changes is touched on `queue` only.

    /// What the peer (Lab/peers/table.py) calls its attributes.
    enum Attribute {
        static let short = identifier("0101")
        static let command = identifier("0103")
        static let notified = identifier("0105")
        static let counted = identifier("0108")
        static let commands = identifier("0301")
        static func identifier(_ digits: String) -> CBUUID {
            CBUUID(string: "0000\(digits)-1AB0-4000-8000-706565727321")
        }
    }

    struct Failure: Error { let what: String }

    private static let name = "peer-plain"
    private static let packet = Data(repeating: 0x2E, count: 512)
    private static let total: UInt32 = 64 * 1024

    private let queue = DispatchQueue(label: "gatt")
    private let state: String
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?
    private var characteristics: [CBUUID: CBCharacteristic] = [:]
    private var finish: ((Result<Void, any Error>) -> Void)?
    private var remaining = 0
    private var undiscovered = 0
    private var before: UInt32?
    private var unsent = 0

    init(state: String) { self.state = state }

    /// Does the row and returns when it is done.
    func run(_ row: String, _ count: Int) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async {
                self.finish = { continuation.resume(with: $0) }
                self.remaining = count
                self.begin(row)
            }
        }
    }

    private func begin(_ row: String) {
        switch row {
        case "start":
            manager = CBCentralManager(
                delegate: self, queue: queue,
                options: [CBManagerOptionAdapterKey: "hci0", CBManagerOptionStateDirectoryKey: state])
        case "scan": manager?.scanForPeripherals(withServices: nil)
        case "rest":
            manager?.stopScan()
            done()
        case "connect":
            guard let manager, let peripheral else { return fail("nothing was discovered") }
            manager.connect(peripheral)
        case "read": read(Attribute.short)
        case "write": write()
        case "count": read(Attribute.counted)
        case "stream":
            unsent = Int(Self.total) / Self.packet.count
            stream()
        case "subscribe", "unsubscribe": subscribe(row == "subscribe")
        case "notify": ask("notify \(remaining) 20")
        case "disconnect":
            guard let manager, let peripheral else { return fail("not connected") }
            manager.cancelPeripheralConnection(peripheral)
        default: fail("no row '\(row)'")
        }
    }

    private func done() { end(.success(())) }
    private func fail(_ what: String) { end(.failure(Failure(what: what))) }

    private func end(_ result: Result<Void, any Error>) {
        let finish = finish
        self.finish = nil
        finish?(result)
    }

    // The requests

    private func with(_ identifier: CBUUID, _ use: (CBPeripheral, CBCharacteristic) -> Void) {
        guard let peripheral, let characteristic = characteristics[identifier] else { return fail("no \(identifier)") }
        use(peripheral, characteristic)
    }

    private func read(_ identifier: CBUUID) { with(identifier) { $0.readValue(for: $1) } }
    private func write() {
        with(Attribute.short) { $0.writeValue(Data(repeating: 0x2E, count: 20), for: $1, type: .withResponse) }
    }
    private func ask(_ text: String) {
        with(Attribute.commands) { $0.writeValue(Data(text.utf8), for: $1, type: .withResponse) }
    }
    private func subscribe(_ on: Bool) { with(Attribute.notified) { $0.setNotifyValue(on, for: $1) } }

    private func stream() {
        with(Attribute.command) { peripheral, characteristic in
            while unsent > 0, peripheral.canSendWriteWithoutResponse {
                peripheral.writeValue(Self.packet, for: characteristic, type: .withoutResponse)
                unsent -= 1
            }
            // All of it has arrived when the peer says so.
            if unsent == 0 { read(Attribute.counted) }
        }
    }

    // The manager's delegate

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { done() }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        guard peripheral.name == Self.name, finish != nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        done()
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        fail("connect: \(String(describing: error))")
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        if let error { fail("disconnected: \(error)") } else { done() }
    }

    // The peripheral's delegate

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let services = peripheral.services, error == nil else {
            return fail("services: \(String(describing: error))")
        }
        characteristics = [:]
        undiscovered = services.count
        for service in services { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        undiscovered -= 1
        for characteristic in service.characteristics ?? [] {
            characteristics[characteristic.uuid] = characteristic
            undiscovered += 1
            peripheral.discoverDescriptors(for: characteristic)
        }
        if undiscovered == 0 { done() }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        undiscovered -= 1
        if undiscovered == 0 { done() }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if let error { return fail("value: \(error)") }
        switch characteristic.uuid {
        case Attribute.short:
            remaining -= 1
            if remaining == 0 { done() } else { read(Attribute.short) }
        case Attribute.notified:
            remaining -= 1
            if remaining == 0 { done() }
        case Attribute.counted: counted(characteristic.value ?? Data())
        default: break
        }
    }

    /// The number of bytes that the peer has got by commands, ever. Row 'count' notes it; row 'stream' waits until it has
    /// grown by the total.
    private func counted(_ value: Data) {
        guard value.count == 8 else { return fail("counted") }
        let bytes = value.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard let start = before else {
            before = bytes
            return done()
        }
        if bytes &- start < Self.total { return read(Attribute.counted) }
        before = nil
        done()
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if let error { return fail("write: \(error)") }
        guard characteristic.uuid == Attribute.short else { return }
        remaining -= 1
        if remaining == 0 { done() } else { write() }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { fail("subscribe: \(error)") } else { done() }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        if unsent > 0 { stream() }
    }
}
