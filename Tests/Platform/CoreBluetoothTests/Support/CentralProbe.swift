import Basics
import CoreBluetooth
import Dispatch
import Foundation
import TestSupport
import Testing

/// A central manager with a delegate that records everything.
final class CentralProbe: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    // Unchecked because of NSObject: the stored properties are constants, but for `manager`, which is set in `init`.

    /// An advertisement's dictionary. Its values are immutable.
    struct Heard: @unchecked Sendable {
        var data: [String: Any]
        var rssi: Int
        var name: String? { data[CBAdvertisementDataLocalNameKey] as? String }
        var services: [CBUUID]? { data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] }
        var manufacturer: Data? { data[CBAdvertisementDataManufacturerDataKey] as? Data }
    }

    enum Event: Sendable {
        case state(CBManagerState)
        case discovered(CBPeripheral, Heard)
        case connected(CBPeripheral)
        case failed(CBPeripheral, (any Error)?)
        case disconnected(CBPeripheral, (any Error)?, isReconnecting: Bool)
        case connectionEvent(CBConnectionEvent, CBPeripheral)
        case renamed(CBPeripheral)
        case services((any Error)?)
        case included(CBService, (any Error)?)
        case characteristics(CBService, (any Error)?)
        case descriptors(CBCharacteristic, (any Error)?)
        case value(CBCharacteristic, Data?, (any Error)?)
        case wrote(CBCharacteristic, (any Error)?)
        case descriptorValue(CBDescriptor, (any Error)?)
        case descriptorWrote(CBDescriptor, (any Error)?)
        case notifying(CBCharacteristic, Bool, (any Error)?)
        case rssi(Int, (any Error)?)
        case modified([CBService])
        case ready
    }

    let events = Recorder<Event>()
    /// What the delegate does when it is told of a disconnection.
    let onDisconnect = Locked<(@Sendable (CBCentralManager, CBPeripheral) -> Void)?>(nil)
    let queue = DispatchQueue(label: "test.central")
    private(set) var manager: CBCentralManager!

    /// Kept while the manager may use it.
    private let air: (any AirFixture)?

    init(_ options: [String: Any], in air: (any AirFixture)? = nil) {
        self.air = air
        super.init()
        manager = CBCentralManager(delegate: self, queue: queue, options: options)
    }

    /// A probe whose radio is on.
    static func ready(_ air: any AirFixture, _ conditions: RadioConditions? = nil) async throws -> CentralProbe {
        let probe = CentralProbe(air.central(conditions), in: air)
        try await probe.expectState(.poweredOn)
        return probe
    }

    func release() { manager = nil }

    // MARK: Steps

    func expectState(_ state: CBManagerState) async throws {
        try await events.next("central state \(state)") { event in
            if case .state(state) = event { () } else { nil }
        }
    }

    /// Scans until a peripheral of this name is found.
    func find(_ name: String, services: [CBUUID]? = nil) async throws -> CBPeripheral {
        manager.scanForPeripherals(withServices: services)
        let (peripheral, _) = try await discovered(name)
        manager.stopScan()
        return peripheral
    }

    func discovered(_ name: String) async throws -> (CBPeripheral, Heard) {
        try await events.next("the discovery of \(name)") { event in
            if case .discovered(let peripheral, let heard) = event, heard.name == name {
                (peripheral, heard)
            } else {
                nil
            }
        }
    }

    func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) async throws {
        peripheral.delegate = self
        manager.connect(peripheral, options: options)
        try await expectConnected(peripheral)
    }

    func expectConnected(_ peripheral: CBPeripheral) async throws {
        try await events.next("a connection") { event in
            if case .connected(peripheral) = event { () } else { nil }
        }
    }

    @discardableResult
    func expectDisconnected(_ peripheral: CBPeripheral) async throws -> (any Error)? {
        try await events.next("a disconnection") { event -> Box? in
            if case .disconnected(peripheral, let error, _) = event { Box(error: error) } else { nil }
        }.error
    }

    private struct Box: Sendable { var error: (any Error)? }

    /// Discovers all services and characteristics.
    func discoverAll(_ peripheral: CBPeripheral) async throws {
        peripheral.discoverServices(nil)
        try await answer("services") { if case .services(let error) = $0 { .some(error) } else { nil } }
        for service in try #require(peripheral.services) {
            peripheral.discoverCharacteristics(nil, for: service)
            try await answer("characteristics") {
                if case .characteristics(service, let error) = $0 { .some(error) } else { nil }
            }
        }
    }

    /// Waits for the answer to a request and throws its error.
    func answer(_ what: String, _ pick: @escaping @Sendable (Event) -> (any Error)??) async throws {
        let box = try await events.next(what) { event in pick(event).map { Box(error: $0) } }
        if let error = box.error { throw error }
    }

    func read(_ characteristic: CBCharacteristic) async throws -> Data {
        characteristic.service?.peripheral?.readValue(for: characteristic)
        return try await nextValue(of: characteristic)
    }

    func nextValue(of characteristic: CBCharacteristic) async throws -> Data {
        let (value, box) = try await events.next("a value of \(characteristic.uuid)") { event -> (Data?, Box)? in
            if case .value(characteristic, let value, let error) = event { (value, Box(error: error)) } else { nil }
        }
        if let error = box.error { throw error }
        return try #require(value)
    }

    func write(_ value: Data, to characteristic: CBCharacteristic) async throws {
        characteristic.service?.peripheral?.writeValue(value, for: characteristic, type: .withResponse)
        try await answer("a write") { if case .wrote(characteristic, let error) = $0 { .some(error) } else { nil } }
    }

    func setNotify(_ enabled: Bool, for characteristic: CBCharacteristic) async throws {
        characteristic.service?.peripheral?.setNotifyValue(enabled, for: characteristic)
        try await answer("a subscription") {
            if case .notifying(characteristic, _, let error) = $0 { .some(error) } else { nil }
        }
    }

    // MARK: Delegate

    private func record(_ event: Event) {
        dispatchPrecondition(condition: .onQueue(queue))
        events.record(event)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { record(.state(central.state)) }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi: NSNumber
    ) { record(.discovered(peripheral, Heard(data: advertisementData, rssi: rssi.intValue))) }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        record(.connected(peripheral))
    }
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        record(.failed(peripheral, error))
    }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        onDisconnect.withLock { $0 }?(central, peripheral)
        record(.disconnected(peripheral, error, isReconnecting: isReconnecting))
    }
    func centralManager(
        _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
    ) { record(.connectionEvent(event, peripheral)) }
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) { record(.renamed(peripheral)) }
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        record(.modified(invalidatedServices))
    }
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI rssi: NSNumber, error: (any Error)?) {
        record(.rssi(rssi.intValue, error))
    }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { record(.services(error)) }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)
    {
        record(.included(service, error))
    }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        record(.characteristics(service, error))
    }
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        record(.value(characteristic, characteristic.value, error))
    }
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        record(.wrote(characteristic, error))
    }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) { record(.notifying(characteristic, characteristic.isNotifying, error)) }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) { record(.descriptors(characteristic, error)) }
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        record(.descriptorValue(descriptor, error))
    }
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        record(.descriptorWrote(descriptor, error))
    }
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { record(.ready) }
}
