import Basics
import DBus
import Dispatch
import Foundation
import TestSupport

@testable import CoreBluetooth

/// A peripheral's radio over ``FakeBlueZ``, with everything that it reports.
final class PeripheralRadioProbe: @unchecked Sendable {
    // Unchecked because the radio is used on `queue` only.

    enum Happening: Sendable {
        case event(PeripheralRadioEvent)
        case added(AttributeID, RadioResult<Void>)
        case advertising(RadioResult<Void>)
        case room(Int)
    }

    let daemon: FakeBlueZ
    let server: FakeGATTServer
    let queue = DispatchQueue(label: "test.radio")
    let happenings = Recorder<Happening>()
    private let radio: any PeripheralRadio

    init(_ daemon: FakeBlueZ, _ server: FakeGATTServer, clock: RadioClock = RadioClock(ContinuousClock())) {
        self.daemon = daemon
        self.server = server
        radio = BlueZRadio(bus: .address(daemon.bus.address), clock: clock).makePeripheral(on: queue)
        queue.async { [radio, happenings] in
            radio.start { happenings.record(.event($0)) }
        }
    }

    /// A radio that is on, with a daemon of its own.
    static func ready() async throws -> PeripheralRadioProbe {
        let daemon = try await FakeBlueZ.powered()
        let probe = PeripheralRadioProbe(daemon, FakeGATTServer(daemon))
        try await probe.expect(.poweredOn)
        return probe
    }

    /// A radio that is on and has the sample service.
    static func published() async throws -> PeripheralRadioProbe {
        let probe = try await ready()
        try await probe.add(Sample.service).get()
        return probe
    }

    func shutdown() { queue.sync { radio.shutdown() } }

    /// Runs `body` with the radio on its queue.
    func run(_ body: @Sendable (any PeripheralRadio) -> Void) { queue.sync { body(radio) } }

    /// Tells whether the radio is in memory, without keeping it there.
    var radioIsAlive: @Sendable () -> Bool {
        { [weak radio] in radio != nil }
    }

    // MARK: Steps

    func expect(_ state: CBManagerState) async throws {
        try await happenings.next("the state \(state)") { happening in
            if case .event(.state(state)) = happening { () } else { nil }
        }
    }

    /// The next event that `pick` makes something of.
    func event<Value: Sendable>(
        _ what: String, _ pick: @escaping @Sendable (PeripheralRadioEvent) -> Value?
    ) async throws -> Value {
        try await happenings.next(what) { happening in
            if case .event(let event) = happening { pick(event) } else { nil }
        }
    }

    func beginAdding(_ service: LocalService) {
        run { radio in
            radio.add(service) { [happenings] result in happenings.record(.added(service.id, result)) }
        }
    }

    func added(_ id: AttributeID) async throws -> RadioResult<Void> {
        try await happenings.next("the answer to an added service") { happening in
            if case .added(id, let result) = happening { result } else { nil }
        }
    }

    func add(_ service: LocalService) async throws -> RadioResult<Void> {
        beginAdding(service)
        return try await added(service.id)
    }

    func beginAdvertising(_ advertisement: Advertisement) {
        run { radio in
            radio.startAdvertising(advertisement) { [happenings] result in happenings.record(.advertising(result)) }
        }
    }

    func advertising() async throws -> RadioResult<Void> {
        try await happenings.next("the answer to the wish to advertise") { happening in
            if case .advertising(let result) = happening { result } else { nil }
        }
    }

    func advertise(_ advertisement: Advertisement = Sample.advertisement) async throws -> RadioResult<Void> {
        beginAdvertising(advertisement)
        return try await advertising()
    }

    func notify(_ value: Data, _ characteristic: AttributeID, to centrals: [FakeRemoteCentral], number: Int = 0) {
        run { radio in
            radio.notify(value, for: characteristic, to: centrals.map(\.radioAddress)) { [happenings] in
                happenings.record(.room(number))
            }
        }
    }

    func room(_ number: Int = 0) async throws {
        try await happenings.next("room for another value") { happening in
            if case .room(number) = happening { () } else { nil }
        }
    }

    func respond(_ ticket: RequestTicket, _ result: RadioResult<Data>) {
        run { $0.respond(to: ticket, result) }
    }

    func nextRead() async throws -> (central: RemoteCentral, attribute: AttributeID, offset: Int, ticket: RequestTicket)
    {
        try await event("a read") { event in
            if case .read(let central, let id, let offset, let ticket) = event {
                (central, id, offset, ticket)
            } else {
                nil
            }
        }
    }

    func nextWrite() async throws -> (central: RemoteCentral, pieces: [WritePiece], ticket: RequestTicket?) {
        try await event("a write") { event in
            if case .write(let central, let pieces, let ticket) = event { (central, pieces, ticket) } else { nil }
        }
    }

    func expectSubscribed(_ central: FakeRemoteCentral, _ id: AttributeID) async throws {
        try await event("a subscription") { event in
            if case .subscribed(let remote, id) = event, remote.address == central.radioAddress { () } else { nil }
        }
    }

    func expectUnsubscribed(_ central: FakeRemoteCentral, _ id: AttributeID) async throws {
        try await event("the end of a subscription") { event in
            if case .unsubscribed(let remote, id) = event, remote.address == central.radioAddress { () } else { nil }
        }
    }

    /// A round trip to the daemon and back: what it sent before has arrived.
    func settle() async throws {
        let central = FakeRemoteCentral(number: 9)
        async let answer = server.call(Sample.uuid(2), "ReadValue", [.properties(central.options)])
        let read = try await nextRead()
        respond(read.ticket, .success(Data()))
        _ = try await answer
    }
}

/// A service with one characteristic of each kind, as the radio gets it.
enum Sample {
    static func uuid(_ number: Int) -> CBUUID { CBUUID(string: "6E40000\(number)-B5A3-F393-E0A9-E50E24DCCA9E") }
    static func id(_ number: UInt32) -> AttributeID { AttributeID(number: number) }

    static let value = id(2)
    static let description = id(3)
    static let notifying = id(4)
    static let indicating = id(5)
    static let closed = id(6)

    static let service = LocalService(
        id: id(1), uuid: uuid(1), isPrimary: true,
        characteristics: [
            LocalCharacteristic(
                id: value, uuid: uuid(2), properties: [.read, .write], permissions: [.readable, .writeable],
                descriptors: [LocalDescriptor(id: description, uuid: CBUUID(string: "2901"))]),
            LocalCharacteristic(id: notifying, uuid: uuid(4), properties: .notify, permissions: .readable),
            LocalCharacteristic(id: indicating, uuid: uuid(5), properties: .indicate, permissions: .readable),
            LocalCharacteristic(id: closed, uuid: uuid(6), properties: [.read, .write], permissions: []),
        ])

    /// A service with one characteristic.
    static func small(_ number: UInt32, uuid: String, includes: [AttributeID] = []) -> LocalService {
        LocalService(
            id: id(number), uuid: CBUUID(string: uuid), isPrimary: true, includes: includes,
            characteristics: [
                LocalCharacteristic(
                    id: id(number + 1), uuid: CBUUID(string: "2A19"), properties: [.read, .notify],
                    permissions: .readable)
            ])
    }

    static let advertisement = Advertisement(localName: "camera", serviceUUIDs: [uuid(1)])
}
