import Basics
import CoreBluetooth
import Dispatch
import Foundation
import TestSupport

/// A peripheral manager with a delegate that records everything and answers requests as it is told.
final class PeripheralProbe: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    // Unchecked because of NSObject: what changes is inside `Locked`, but for `manager`, which is set in `init`.

    enum Event: Sendable {
        case state(CBManagerState)
        case advertising((any Error)?)
        case added(CBService, (any Error)?)
        case subscribed(CBCentral, CBCharacteristic)
        case unsubscribed(CBCentral, CBCharacteristic)
        case read(CBATTRequest)
        case write([CBATTRequest])
        case ready
    }

    /// How reads and writes are answered.
    struct Behaviour: Sendable {
        var value = Data("value".utf8)
        var readResult = CBATTError.Code.success
        var writeResult = CBATTError.Code.success
        /// False to keep the central waiting.
        var answers = true
    }

    let events = Recorder<Event>()
    let behaviour = Locked(Behaviour())
    let queue = DispatchQueue(label: "test.peripheral")
    private(set) var manager: CBPeripheralManager!

    /// Kept while the manager may use it.
    private let air: (any AirFixture)?

    init(_ options: [String: Any], in air: (any AirFixture)? = nil) {
        self.air = air
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
    }

    /// A probe whose radio is on, with services that are added.
    static func ready(
        _ air: any AirFixture, _ conditions: RadioConditions? = nil, services: [CBMutableService] = []
    ) async throws -> PeripheralProbe {
        let probe = PeripheralProbe(air.peripheral(conditions), in: air)
        try await probe.expectState(.poweredOn)
        for service in services { try await probe.add(service) }
        return probe
    }

    func release() { manager = nil }

    func expectState(_ state: CBManagerState) async throws {
        try await events.next("peripheral state \(state)") { event in
            if case .state(state) = event { () } else { nil }
        }
    }

    func add(_ service: CBMutableService) async throws {
        manager.add(service)
        let box = try await events.next("a service to be added") { event -> Box? in
            if case .added(service, let error) = event { Box(error: error) } else { nil }
        }
        if let error = box.error { throw error }
    }

    func advertise(_ name: String, services: [CBUUID] = [], more: [String: Any] = [:]) async throws {
        var data = more
        data[CBAdvertisementDataLocalNameKey] = name
        if !services.isEmpty { data[CBAdvertisementDataServiceUUIDsKey] = services }
        manager.startAdvertising(data)
        let box = try await events.next("advertising to start") { event -> Box? in
            if case .advertising(let error) = event { Box(error: error) } else { nil }
        }
        if let error = box.error { throw error }
    }

    func expectSubscription(to characteristic: CBCharacteristic) async throws -> CBCentral {
        try await events.next("a subscription") { event in
            if case .subscribed(let central, characteristic) = event { central } else { nil }
        }
    }

    func nextWrite() async throws -> [CBATTRequest] {
        try await events.next("a write") { event in
            if case .write(let requests) = event { requests } else { nil }
        }
    }

    func nextRead() async throws -> CBATTRequest {
        try await events.next("a read") { event in
            if case .read(let request) = event { request } else { nil }
        }
    }

    private struct Box: Sendable { var error: (any Error)? }

    // MARK: Delegate

    private func record(_ event: Event) {
        dispatchPrecondition(condition: .onQueue(queue))
        events.record(event)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { record(.state(peripheral.state)) }
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        record(.advertising(error))
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        record(.added(service, error))
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { record(.subscribed(central, characteristic)) }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { record(.unsubscribed(central, characteristic)) }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        record(.read(request))
        let behaviour = behaviour.withLock { $0 }
        guard behaviour.answers else { return }
        if request.offset > behaviour.value.count {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = behaviour.value.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: behaviour.readResult)
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        record(.write(requests))
        let behaviour = behaviour.withLock { $0 }
        if behaviour.answers { peripheral.respond(to: requests[0], withResult: behaviour.writeResult) }
    }
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { record(.ready) }
}

/// A service with one characteristic of each kind.
struct SampleService {
    static let uuid = CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")

    let service = CBMutableService(type: SampleService.uuid, primary: true)
    let fixed = CBMutableCharacteristic(
        type: CBUUID(string: "2A29"), properties: .read, value: Data("Porchlight".utf8), permissions: .readable)
    let value = CBMutableCharacteristic(
        type: CBUUID(string: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"),
        properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
    let commands = CBMutableCharacteristic(
        type: CBUUID(string: "6E400006-B5A3-F393-E0A9-E50E24DCCA9E"), properties: [.write, .writeWithoutResponse],
        value: nil, permissions: .writeable)
    let notifying = CBMutableCharacteristic(
        type: CBUUID(string: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"), properties: .notify, value: nil,
        permissions: .readable)
    let indicating = CBMutableCharacteristic(
        type: CBUUID(string: "6E400004-B5A3-F393-E0A9-E50E24DCCA9E"), properties: .indicate, value: nil,
        permissions: .readable)
    let closed = CBMutableCharacteristic(
        type: CBUUID(string: "6E400005-B5A3-F393-E0A9-E50E24DCCA9E"), properties: [.read, .write], value: nil,
        permissions: [])

    init() {
        value.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "a value")
        ]
        service.characteristics = [fixed, value, commands, notifying, indicating, closed]
    }
}

/// A central that is connected to a peripheral with ``SampleService`` and knows its attributes.
struct Pair {
    let air: any AirFixture
    let sample = SampleService()
    let camera: PeripheralProbe
    let app: CentralProbe
    let peripheral: CBPeripheral

    init(
        _ air: any AirFixture, camera cameraConditions: RadioConditions? = nil,
        app appConditions: RadioConditions? = nil,
        name: String = "camera"
    ) async throws {
        self.air = air
        camera = try await PeripheralProbe.ready(air, cameraConditions, services: [sample.service])
        try await camera.advertise(name, services: [SampleService.uuid])
        app = try await CentralProbe.ready(air, appConditions)
        peripheral = try await app.find(name)
        try await app.connect(peripheral)
        try await app.discoverAll(peripheral)
    }

    /// The central's object for one of the sample's characteristics.
    func remote(_ local: CBMutableCharacteristic) throws -> CBCharacteristic {
        let service = peripheral.services?.first { $0.uuid == SampleService.uuid }
        guard let found = service?.characteristics?.first(where: { $0.uuid == local.uuid }) else {
            throw CBError(.invalidHandle)
        }
        return found
    }
}
