import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Wire

@testable import CameraDevice

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
        var layouts: PairingInfo.Layouts?
    }

    struct Lost: Error {}

    /// Each advertisement of the pairing service.
    let sightings: AsyncStream<Sighting>
    /// The layout whose service it uses.
    let layout: PairingLayout
    /// Each notification of the exchange.
    let frames: AsyncStream<Data>
    private let framed: AsyncStream<Data>.Continuation
    /// Each notification of the standard layout.
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
    private var characteristics: [PairingAttribute: CBCharacteristic] = [:]
    private var pending: (purpose: Purpose, continuation: CheckedContinuation<Data, any Error>)?

    private enum Purpose { case connecting, leaving, reading, changing }

    /// A client on the air of this directory.
    init(
        radioDirectory: String, layout: PairingLayout = .standard, conditions: RadioConditions = RadioConditions()
    ) {
        self.layout = layout
        options = [
            CBManagerOptionRadioDirectoryKey: radioDirectory, CBManagerOptionRadioConditionsKey: conditions,
            CBManagerOptionStateDirectoryKey: radioDirectory + "-state",
        ]
        (sightings, sighted) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(100))
        (frames, framed) = AsyncStream.makeStream()
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

    func read(_ characteristic: Characteristic) async throws -> Data { try await read(.standard(characteristic)) }

    func write(_ value: Data, _ characteristic: Characteristic) async throws {
        try await write(value, .standard(characteristic))
    }

    func subscribe(_ characteristic: Characteristic, _ isOn: Bool = true) async throws {
        try await subscribe(.standard(characteristic), isOn)
    }

    func read(_ attribute: PairingAttribute) async throws -> Data {
        try await operation(.reading) { central in
            central.peripheral?.readValue(for: try central.found(attribute))
        }
    }

    func write(_ value: Data, _ attribute: PairingAttribute) async throws {
        _ = try await operation(.changing) { central in
            central.peripheral?.writeValue(value, for: try central.found(attribute), type: .withResponse)
        }
    }

    func subscribe(_ attribute: PairingAttribute, _ isOn: Bool = true) async throws {
        _ = try await operation(.changing) { central in
            central.peripheral?.setNotifyValue(isOn, for: try central.found(attribute))
        }
    }

    /// The longest frame of the link.
    func frameLimit() async -> Int {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                continuation.resume(returning: peripheral?.maximumWriteValueLength(for: .withoutResponse) ?? 20)
            }
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

    /// The network list, whole.
    func records() async throws -> [NetworkListRecord] {
        try await within(.seconds(20), "the end of the network list") { [notifications] in
            var reassembler = FrameReassembler()
            var records: [NetworkListRecord] = []
            for await (characteristic, value) in notifications where characteristic == .networks {
                guard let message = try reassembler.receive(value) else { continue }
                records.append(try NetworkListRecord(decoding: message))
                switch records.last {
                case .end, .failed: return records
                default: continue
                }
            }
            return records
        }
    }

    /// The characteristics with their properties.
    func properties() async -> [PairingAttribute: CBCharacteristicProperties] {
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

    private func found(_ attribute: PairingAttribute) throws -> CBCharacteristic {
        guard let found = characteristics[attribute] else { throw Lost() }
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
            withServices: PairingLayout.allCases.map { CBUUID(string: $0.service) },
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi _: NSNumber
    ) {
        if self.peripheral == nil || self.peripheral?.state == .disconnected { self.peripheral = peripheral }
        let data = advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data
        let told = data.flatMap { PairingAdvertisement(manufacturerData: $0) }
        sighted.yield(
            Sighting(
                name: advertisementData[CBAdvertisementDataLocalNameKey] as? String, state: told?.state,
                layouts: told?.layouts))
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(string: layout.service)])
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
            guard let attribute = PairingAttribute(uuid: characteristic.uuid) else { continue }
            characteristics[attribute] = characteristic
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
            return
        }
        let value = characteristic.value ?? Data()
        switch PairingAttribute(uuid: characteristic.uuid) {
        case .standard(let name): notified.yield((name, value))
        case .exchange: framed.yield(value)
        case nil: break
        }
    }
}
