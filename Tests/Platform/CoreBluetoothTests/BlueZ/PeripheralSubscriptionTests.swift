import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("BlueZ peripheral: subscriptions", .timeLimit(.minutes(1)))
struct PeripheralSubscriptionTests {
    private let first = FakeRemoteCentral(number: 1, mtu: 100)
    private let second = FakeRemoteCentral(number: 2, mtu: 50)

    private func subscribed(_ uuid: Int, _ value: Int, _ id: AttributeID) async throws -> PeripheralRadioProbe {
        let probe = try await PeripheralRadioProbe.published()
        for central in [first, second] {
            probe.server.connect(central)
            probe.server.configure(Sample.uuid(uuid), value, by: central)
            try await probe.expectSubscribed(central, id)
            // The daemon has counted it, without which it does not tell of the end.
            try await probe.settle()
        }
        return probe
    }

    private func nextValue(_ probe: PeripheralRadioProbe) async throws -> Data {
        try await probe.server.events.next("a value") { event in
            if case .value(_, let value) = event { value } else { nil }
        }
    }

    @Test("every subscriber is known with its MTU, also the second one")
    func two() async throws {
        let probe = try await PeripheralRadioProbe.published()
        for central in [first, second] {
            probe.server.connect(central)
            probe.server.configure(Sample.uuid(4), 1, by: central)
            let remote = try await probe.event("a subscription") { event in
                if case .subscribed(let remote, Sample.notifying) = event { remote } else { nil }
            }
            #expect(remote == RemoteCentral(address: central.radioAddress, mtu: central.mtu))
            try await probe.settle()
        }
        // The one that unsubscribes while another is left is seen when it subscribes again or disconnects.
        probe.server.configure(Sample.uuid(4), 0, by: first)
        probe.server.configure(Sample.uuid(4), 1, by: first)
        try await probe.expectUnsubscribed(first, Sample.notifying)
        try await probe.expectSubscribed(first, Sample.notifying)
        try await probe.settle()
        probe.server.configure(Sample.uuid(4), 0, by: first)
        probe.server.configure(Sample.uuid(4), 0, by: second)
        try await probe.expectUnsubscribed(first, Sample.notifying)
        try await probe.expectUnsubscribed(second, Sample.notifying)
    }

    @Test("the last one's leaving does not end the subscription of one who is just coming")
    func crossing() async throws {
        let probe = try await PeripheralRadioProbe.published()
        // As the daemon's calls come when one leaves while the answer to the other's question is under way.
        probe.server.connect(first)
        probe.server.connect(second)
        _ = try? await probe.server.call(Sample.uuid(4), "AcquireNotify", [.properties(first.options)])
        probe.server.send(Sample.uuid(4), "StartNotify")
        _ = try? await probe.server.call(Sample.uuid(4), "AcquireNotify", [.properties(second.options)])
        probe.server.send(Sample.uuid(4), "StopNotify")
        probe.server.send(Sample.uuid(4), "StartNotify")
        try await probe.expectUnsubscribed(first, Sample.notifying)
        try await probe.settle()
        #expect(!probe.happenings.remaining.contains { if case .event(.unsubscribed) = $0 { true } else { false } })
        probe.notify(Data([1]), Sample.notifying, to: [second])
        #expect(try await nextValue(probe) == Data([1]))
    }

    @Test("a lost link ends the subscriptions, then the connection; others stay")
    func lostLink() async throws {
        let probe = try await subscribed(4, 1, Sample.notifying)
        probe.server.configure(Sample.uuid(5), 2, by: first)
        try await probe.expectSubscribed(first, Sample.indicating)
        probe.server.disconnect(first)
        try await probe.expectUnsubscribed(first, Sample.notifying)
        try await probe.expectUnsubscribed(first, Sample.indicating)
        try await probe.event("the disconnection") { [first] event in
            if case .disconnected(let remote) = event, remote.address == first.radioAddress { () } else { nil }
        }
        probe.notify(Data([2]), Sample.notifying, to: [second])
        #expect(try await nextValue(probe) == Data([2]))
        try await probe.room()
    }

    @Test("a bonded central is subscribed again when it comes back, as the daemon keeps it")
    func bonded() async throws {
        let probe = try await PeripheralRadioProbe.published()
        probe.server.connect(first, bonded: true)
        probe.server.configure(Sample.uuid(4), 1, by: first)
        try await probe.expectSubscribed(first, Sample.notifying)
        try await probe.settle()
        probe.server.disconnect(first)
        try await probe.expectUnsubscribed(first, Sample.notifying)
        probe.server.connect(first, bonded: true)
        try await probe.expectSubscribed(first, Sample.notifying)
        probe.server.configure(Sample.uuid(4), 0, by: first)
        try await probe.expectUnsubscribed(first, Sample.notifying)
    }

    @Test("values go to the daemon in order, cut to what an attribute holds; equal ones as well, and empty ones")
    func values() async throws {
        let probe = try await subscribed(4, 1, Sample.notifying)
        let values = [Data([1]), Data([1]), Data(), Data(repeating: 9, count: 600)]
        for (number, value) in values.enumerated() {
            probe.notify(value, Sample.notifying, to: [first, second], number: number)
        }
        for (number, value) in values.enumerated() {
            #expect(try await nextValue(probe) == value.prefix(512))
            try await probe.room(number)
        }
    }

    @Test("a value that nobody is subscribed to, or that is for others, is not sent, and there is room")
    func nobody() async throws {
        let probe = try await PeripheralRadioProbe.published()
        probe.notify(Data([1]), Sample.notifying, to: [first], number: 1)
        try await probe.room(1)
        probe.server.connect(second)
        probe.server.configure(Sample.uuid(4), 1, by: second)
        try await probe.expectSubscribed(second, Sample.notifying)
        probe.notify(Data([2]), Sample.notifying, to: [first], number: 2)
        try await probe.room(2)
        probe.notify(Data([3]), Sample.notifying, to: [second], number: 3)
        #expect(try await nextValue(probe) == Data([3]))
    }

    @Test("there is room only when the daemon has taken a value")
    func backPressure() async throws {
        let probe = try await subscribed(4, 1, Sample.notifying)
        // The daemon is busy.
        probe.daemon.queue.suspend()
        probe.notify(Data([1]), Sample.notifying, to: [first, second], number: 1)
        for number in 2...5 { probe.notify(Data([UInt8(number)]), Sample.notifying, to: [first], number: number) }
        // The radio answers others meanwhile, so its silence about room means something.
        #expect(try await probe.advertisingIsRefused() == .outOfSpace)
        #expect(!probe.happenings.remaining.contains { if case .room = $0 { true } else { false } })
        probe.daemon.queue.resume()
        for number in 1...5 { try await probe.room(number) }
        for number in 1...5 { #expect(try await nextValue(probe) == Data([UInt8(number)])) }
    }

    @Test("an indication is under way until every subscriber has confirmed it")
    func indications() async throws {
        let probe = try await subscribed(5, 2, Sample.indicating)
        for number in 1...2 {
            probe.notify(Data([UInt8(number)]), Sample.indicating, to: [first, second], number: number)
        }
        for number in 1...2 { #expect(try await nextValue(probe) == Data([UInt8(number)])) }
        probe.server.send(Sample.uuid(5), "Confirm")
        try await probe.settle()
        #expect(!probe.happenings.remaining.contains { if case .room = $0 { true } else { false } })
        probe.server.send(Sample.uuid(5), "Confirm")
        try await probe.room(1)
        // The one that never confirms loses its link, and nobody waits for it any more.
        probe.server.disconnect(second)
        try await probe.room(2)
        // Confirmations that come too late are nobody's.
        probe.server.send(Sample.uuid(5), "Confirm")
        try await probe.settle()
    }
}

extension PeripheralRadioProbe {
    /// Asks for an advertisement that does not fit, which the radio refuses by itself.
    func advertisingIsRefused() async throws -> CBError.Code? {
        try await advertise(Advertisement(manufacturerData: Data(count: 40))).failure
    }
}
