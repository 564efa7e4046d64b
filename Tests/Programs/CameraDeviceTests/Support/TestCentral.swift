import Basics
import CoreBluetooth
import Foundation
import Wire

/// A Bluetooth client for tests: finds the camera and does one thing at a time.
///
/// State is confined to its queue, which is the central manager's.
final class TestCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    // Unchecked because the mutable properties are touched on `queue` only.

    typealias Characteristic = PairingService.Characteristic

    /// An advertisement as it was seen.
    struct Sighting: Sendable {
        var name: String?
        var state: PairingState?
    }

    struct Lost: Error {}

    /// Each advertisement of the pairing service.
    let sightings: AsyncStream<Sighting>
    /// Each notification.
    let notifications: AsyncStream<(Characteristic, Data)>
    /// Each end of a link.
    let losses: AsyncStream<Void>
    private let lost: AsyncStream<Void>.Continuation
    private let sighted: AsyncStream<Sighting>.Continuation
    private let notified: AsyncStream<(Characteristic, Data)>.Continuation

    private let queue = DispatchQueue(label: "test.central")
    private let options: [String: any Sendable]
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?
    private var characteristics: [Characteristic: CBCharacteristic] = [:]
    private var pending: (purpose: Purpose, continuation: CheckedContinuation<Data, any Error>)?

    private enum Purpose { case connecting, leaving, reading, changing }

    /// A client on the air of this directory.
    init(radioDirectory: String, conditions: RadioConditions = RadioConditions()) {
        options = [
            CBManagerOptionRadioDirectoryKey: radioDirectory, CBManagerOptionRadioConditionsKey: conditions,
            CBManagerOptionStateDirectoryKey: radioDirectory + "-state",
        ]
        (sightings, sighted) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(100))
        (notifications, notified) = AsyncStream.makeStream()
        (losses, lost) = AsyncStream.makeStream()
        super.init()
    }

    /// Scans for as long as it lives.
    func scan() {
        queue.async { [self] in manager = CBCentralManager(delegate: self, queue: queue, options: options) }
    }

    /// Connects to the camera that was seen last, and finds its characteristics.
    func connect() async throws {
        _ = try await operation(.connecting) { central in
            guard let manager = central.manager, let peripheral = central.peripheral else { throw Lost() }
            peripheral.delegate = central
            manager.connect(peripheral)
        }
    }

    /// Drops the link. It is fine when the camera has dropped it first.
    func disconnect() async throws {
        _ = try await operation(.leaving) { central in
            guard let manager = central.manager, let peripheral = central.peripheral else { throw Lost() }
            // Of a link that is gone already, nobody is told once more.
            guard peripheral.state != .disconnected else { return central.finish(.success(Data())) }
            manager.cancelPeripheralConnection(peripheral)
        }
    }

    func read(_ characteristic: Characteristic) async throws -> Data {
        try await operation(.reading) { central in
            central.peripheral?.readValue(for: try central.found(characteristic))
        }
    }

    func write(_ value: Data, _ characteristic: Characteristic) async throws {
        _ = try await operation(.changing) { central in
            central.peripheral?.writeValue(value, for: try central.found(characteristic), type: .withResponse)
        }
    }

    func subscribe(_ characteristic: Characteristic, _ isOn: Bool = true) async throws {
        _ = try await operation(.changing) { central in
            central.peripheral?.setNotifyValue(isOn, for: try central.found(characteristic))
        }
    }

    /// Writes all fields of the credentials.
    func write(_ credentials: PairingCredentials) async throws {
        try await write(credentials.ssid, .ssid)
        try await write(Data([credentials.security.rawValue]), .security)
        if credentials.security != .open { try await write(Data(credentials.password.revealed.utf8), .password) }
        try await write(Data(credentials.sessionKey.revealed.utf8), .sessionKey)
        try await write(Data(credentials.region.rawValue.utf8), .region)
        try await write(Data(credentials.environment.rawValue.utf8), .environment)
    }

    /// The characteristics with their properties.
    func layout() async -> [Characteristic: CBCharacteristicProperties] {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: characteristics.mapValues(\.properties)) }
        }
    }

    private func operation(
        _ purpose: Purpose, _ start: @escaping @Sendable (TestCentral) throws -> Void
    ) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                precondition(pending == nil, "one thing at a time")
                pending = (purpose, continuation)
                do {
                    try start(self)
                } catch {
                    finish(.failure(error))
                }
            }
        }
    }

    private func found(_ characteristic: Characteristic) throws -> CBCharacteristic {
        guard let found = characteristics[characteristic] else { throw Lost() }
        return found
    }

    private func finish(_ result: Result<Data, any Error>) {
        pending?.continuation.resume(with: result)
        pending = nil
    }

    private func finish(_ error: (any Error)?) { finish(error.map(Result.failure) ?? .success(Data())) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(
            withServices: [CBUUID(string: PairingService.standardLayout)],
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi _: NSNumber
    ) {
        if self.peripheral == nil || self.peripheral?.state == .disconnected { self.peripheral = peripheral }
        let data = advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data
        sighted.yield(
            Sighting(
                name: advertisementData[CBAdvertisementDataLocalNameKey] as? String,
                state: data.flatMap { PairingAdvertisement(manufacturerData: $0)?.state }))
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(string: PairingService.standardLayout)])
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        finish(.failure(error ?? Lost()))
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        characteristics = [:]
        // The end of the link, whoever ended it, is what leaving waits for, and the end of anything else.
        if pending?.purpose == .leaving { finish(.success(Data())) } else { finish(.failure(error ?? Lost())) }
        lost.yield()
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else { return finish(.failure(error ?? Lost())) }
        peripheral.discoverCharacteristics(nil, for: service)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] {
            guard let name = Characteristic(rawValue: characteristic.uuid.uuidString) else { continue }
            characteristics[name] = characteristic
        }
        finish(error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        finish(error)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        finish(error)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if pending?.purpose == .reading {
            finish(error.map(Result.failure) ?? .success(characteristic.value ?? Data()))
        } else if let name = Characteristic(rawValue: characteristic.uuid.uuidString) {
            notified.yield((name, characteristic.value ?? Data()))
        }
    }
}
