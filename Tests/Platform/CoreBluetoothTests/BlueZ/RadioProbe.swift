import Basics
import DBus
import Dispatch
import Foundation
import TestSupport

@testable import CoreBluetooth

/// A central's radio on its own queue, which records what it reports and turns completions into `async` calls.
final class RadioProbe: Sendable {
    let queue = DispatchQueue(label: "test.radio")
    let radio: BlueZCentral
    let events = Recorder<CentralRadioEvent>()

    init(
        _ address: BusAddress, adapter: String? = nil, clock: some Clock<Duration>,
        sharing: AdapterSharing = AdapterSharing()
    ) {
        radio = BlueZCentral(
            BlueZAdapter(bus: address, preferred: adapter, queue: queue, clock: RadioClock(clock)),
            sharing: sharing)
        queue.async { [radio, events] in radio.start { events.record($0) } }
    }

    convenience init(
        _ daemon: FakeBlueZ, clock: some Clock<Duration> = QuickClock(), sharing: AdapterSharing = AdapterSharing()
    ) { self.init(.address(daemon.bus.address), clock: clock, sharing: sharing) }

    /// A radio that is on.
    static func on(_ daemon: FakeBlueZ, clock: some Clock<Duration> = QuickClock()) async throws -> RadioProbe {
        let probe = RadioProbe(daemon, clock: clock)
        try await probe.expect(.poweredOn)
        return probe
    }

    deinit { queue.async { [radio] in radio.shutdown() } }

    func on(_ body: @escaping @Sendable (BlueZCentral) -> Void) { queue.async { [radio] in body(radio) } }

    // MARK: Events

    func expect(_ state: CBManagerState) async throws {
        try await events.next("the state \(state)") { event in
            if case .state(state) = event { () } else { nil }
        }
    }

    func discovered() async throws -> (RadioAddress, Advertisement, Int?) {
        try await events.next("a discovery") { event in
            if case .discovered(let address, let advertisement, let rssi) = event {
                (address, advertisement, rssi)
            } else {
                nil
            }
        }
    }

    func connected(_ address: RadioAddress = FakeBlueZ.address) async throws {
        try await events.next("a connection") { event in
            if case .connected(address, _) = event { () } else { nil }
        }
    }

    @discardableResult
    func disconnected(_ address: RadioAddress = FakeBlueZ.address) async throws -> RadioFailure? {
        let box: [RadioFailure] = try await events.next("a disconnection") { event in
            if case .disconnected(address, let failure) = event { failure.map { [$0] } ?? [] } else { nil }
        }
        return box.first
    }

    func notified() async throws -> Data {
        try await events.next("a notification") { event in
            if case .notified(_, _, let value) = event { value } else { nil }
        }
    }

    // MARK: Requests

    func connect(_ address: RadioAddress = FakeBlueZ.address) async throws {
        on { $0.connect(address) }
        try await connected(address)
    }

    /// Waits for a completion, which must come once.
    func result<Value: Sendable>(
        _ body: @escaping @Sendable (BlueZCentral, @escaping RadioCompletion<Value>) -> Void
    ) async -> RadioResult<Value> {
        await withCheckedContinuation { continuation in
            on { radio in body(radio) { continuation.resume(returning: $0) } }
        }
    }

    func services(of address: RadioAddress = FakeBlueZ.address) async -> RadioResult<[RemoteService]> {
        await result { $0.discoverServices(of: address, $1) }
    }

    func characteristics(of service: UInt16 = 0x10) async -> RadioResult<[RemoteCharacteristic]> {
        await result {
            $0.discoverCharacteristics(of: AttributeID(service), at: FakeBlueZ.address, $1)
        }
    }

    func read(_ attribute: AttributeID) async -> RadioResult<Data> {
        await result { $0.read(attribute, at: FakeBlueZ.address, $1) }
    }

    func write(_ value: Data, to attribute: AttributeID) async -> RadioResult<Void> {
        await result { $0.write(value, to: attribute, at: FakeBlueZ.address, $1) }
    }

    func writeWithoutResponse(_ value: Data, to attribute: AttributeID) async -> RadioResult<Void> {
        await result { $0.writeWithoutResponse(value, to: attribute, at: FakeBlueZ.address, $1) }
    }

    func setNotify(_ enabled: Bool, for attribute: AttributeID) async -> RadioResult<Void> {
        await result { $0.setNotify(enabled, for: attribute, at: FakeBlueZ.address, $1) }
    }

    /// Waits until the radio has heard everything that the daemon has said so far.
    func catchUp() async {
        await withCheckedContinuation { done in
            on { radio in
                radio.adapter.call("/", BusName.peer, "Ping") { _ in done.resume() }
            }
        }
    }

    /// Waits until everything that was asked of the queue is done.
    func settle() async { await withCheckedContinuation { done in queue.async { done.resume() } } }
}

/// Time that flows a hundred times as fast: pauses of seconds take milliseconds.
struct QuickClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    static let factor = 100
    private let start = ContinuousClock.now

    var now: Instant { Instant(offset: start.duration(to: .now) * Self.factor) }
    var minimumResolution: Duration { .milliseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await Task.sleep(for: now.duration(to: deadline) / Self.factor)
    }
}

extension AttributeID {
    /// A characteristic of ``FakeService/standard``.
    static func standard(_ index: Int) -> AttributeID { AttributeID(FakeService.standard.handle(index)) }
}
