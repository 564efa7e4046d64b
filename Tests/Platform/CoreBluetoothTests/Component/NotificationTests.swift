import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing

@Suite("Notifications and indications", .timeLimit(.minutes(2)))
struct NotificationTests {
    let air: any AirFixture

    init() async throws { air = try await Air.fresh() }

    @Test(
        "values arrive, cut to what fits the link", arguments: Air.isSoftware ? [23, 100, 517] : Air.mtus,
        [false, true])
    func values(mtu: Int, indicated: Bool) async throws {
        let pair = try await Pair(air, app: AttributeTests.conditions(mtu: mtu))
        let local = indicated ? pair.sample.indicating : pair.sample.notifying
        let remote = try pair.remote(local)
        try await pair.app.setNotify(true, for: remote)
        #expect(remote.isNotifying)
        let central = try await pair.camera.expectSubscription(to: local)
        #expect(local.subscribedCentrals == [central])
        #expect(central.maximumUpdateValueLength == min(mtu - 3, 512))
        for length in [0, 20, 512] {
            let value = Data((0..<length).map { UInt8(truncatingIfNeeded: $0) })
            #expect(pair.camera.manager.updateValue(value, for: local, onSubscribedCentrals: nil))
            #expect(try await pair.app.nextValue(of: remote) == value.prefix(mtu - 3))
        }
        try await pair.app.setNotify(false, for: remote)
        #expect(!remote.isNotifying)
        try await pair.camera.events.next("the end of the subscription") { event in
            if case .unsubscribed(central, local) = event { () } else { nil }
        }
        #expect(local.subscribedCentrals?.isEmpty == true)
    }

    @Test("a full radio says no, then that there is room, and nothing is lost", arguments: Air.mtus, [false, true])
    func backPressure(mtu: Int, indicated: Bool) async throws {
        let pair = try await Pair(air, camera: AttributeTests.conditions(mtu: mtu))
        let local = indicated ? pair.sample.indicating : pair.sample.notifying
        let remote = try pair.remote(local)
        try await pair.app.setNotify(true, for: remote)
        _ = try await pair.camera.expectSubscription(to: local)
        // The central's queue stands still, as if its program were busy: the peripheral must not run ahead.
        let gate = DispatchGroup()
        gate.enter()
        pair.app.queue.async { gate.wait() }
        var sent = 0
        while pair.camera.manager.updateValue(Data("\(sent)".utf8), for: local, onSubscribedCentrals: nil) { sent += 1 }
        #expect((1...64).contains(sent))
        gate.leave()
        while sent < 300 {
            try await pair.camera.events.next("room for more") { event in
                if case .ready = event { () } else { nil }
            }
            while sent < 300,
                pair.camera.manager.updateValue(Data("\(sent)".utf8), for: local, onSubscribedCentrals: nil)
            { sent += 1 }
        }
        for index in 0..<300 { #expect(try await pair.app.nextValue(of: remote) == Data("\(index)".utf8)) }
    }

    @Test("asking twice calls back at once, and what cannot notify says so")
    func subscriptions() async throws {
        let pair = try await Pair(air)
        let remote = try pair.remote(pair.sample.notifying)
        try await pair.app.setNotify(false, for: remote)
        try await pair.app.setNotify(true, for: remote)
        _ = try await pair.camera.expectSubscription(to: pair.sample.notifying)
        try await pair.app.setNotify(true, for: remote)
        #expect(remote.isNotifying)
        // Off and on again without waiting ends in the last state.
        pair.peripheral.setNotifyValue(false, for: remote)
        try await pair.app.setNotify(true, for: remote)
        try await pair.app.answer("the other answer") {
            if case .notifying(remote, _, let error) = $0 { .some(error) } else { nil }
        }
        #expect(remote.isNotifying)
        // The answer travels ahead of what the peripheral's delegate hears.
        _ = try await pair.camera.expectSubscription(to: pair.sample.notifying)
        #expect(pair.sample.notifying.subscribedCentrals?.count == 1)
        await #expect(throws: CBATTError(.requestNotSupported)) {
            try await pair.app.setNotify(true, for: pair.remote(pair.sample.value))
        }
    }

    @Test("a peripheral that goes in the middle of a stream ends it with one error")
    func goneInTheStream() async throws {
        let pair = try await Pair(air)
        let remote = try pair.remote(pair.sample.notifying)
        try await pair.app.setNotify(true, for: remote)
        _ = try await pair.camera.expectSubscription(to: pair.sample.notifying)
        for index in UInt8.min..<10 {
            #expect(
                pair.camera.manager.updateValue(Data([index]), for: pair.sample.notifying, onSubscribedCentrals: nil))
        }
        pair.camera.release()
        #expect(try await pair.app.expectDisconnected(pair.peripheral) as? CBError == CBError(.peripheralDisconnected))
        #expect(!remote.isNotifying)
    }

    @Test("through a bad air everything arrives, later", .softwareRadio(because: "BlueZ's air loses nothing"))
    func badAir() async throws {
        let bad = SoftwareAirFixture.quick()
        let pair = try await Pair(air, camera: bad)
        bad.loss = 0.2
        bad.latency = .milliseconds(2)
        let remote = try pair.remote(pair.sample.notifying)
        try await pair.app.setNotify(true, for: remote)
        _ = try await pair.camera.expectSubscription(to: pair.sample.notifying)
        for index in UInt8.min..<12 {
            #expect(
                pair.camera.manager.updateValue(Data([index]), for: pair.sample.notifying, onSubscribedCentrals: nil))
        }
        for index in UInt8.min..<12 { #expect(try await pair.app.nextValue(of: remote) == Data([index])) }
    }
}
