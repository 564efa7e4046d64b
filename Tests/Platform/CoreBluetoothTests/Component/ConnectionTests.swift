import Basics
import CoreBluetooth
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite("Connections", .timeLimit(.minutes(2)))
struct ConnectionTests {
    let air: any AirFixture

    init() async throws { air = try await Air.fresh() }

    @Test("a whole visit: connect, look around, read, leave")
    func visit() async throws {
        let pair = try await Pair(air)
        #expect(pair.peripheral.state == .connected)
        #expect(pair.peripheral.maximumWriteValueLength(for: .withResponse) == 512)
        #expect(pair.peripheral.maximumWriteValueLength(for: .withoutResponse) == 512)
        #expect(try await pair.app.read(pair.remote(pair.sample.fixed)) == Data("Porchlight".utf8))
        pair.app.manager.cancelPeripheralConnection(pair.peripheral)
        #expect(pair.peripheral.state != .connected)
        #expect(try await pair.app.expectDisconnected(pair.peripheral) == nil)
        #expect(pair.peripheral.state == .disconnected)
        #expect(pair.peripheral.services == nil)
        #expect(pair.peripheral.maximumWriteValueLength(for: .withResponse) == 0)
        #expect(!pair.peripheral.canSendWriteWithoutResponse)
    }

    @Test("the peripheral hangs up on those it has met by letting go of its manager")
    func hungUp() async throws {
        let pair = try await Pair(air)
        _ = try await pair.app.read(pair.remote(pair.sample.value))
        pair.camera.release()
        let error = try await pair.app.expectDisconnected(pair.peripheral)
        #expect(error as? CBError == CBError(.peripheralDisconnected))
    }

    @Test(
        "a packet that does not arrive takes its connection with it, on both sides",
        .softwareRadio(because: "a real one is cut from outside"), arguments: [false, true])
    func lostPacket(isAnswer: Bool) async throws {
        let conditions = SoftwareAirFixture.quick()
        let pair = try await Pair(air, app: conditions)
        try await pair.app.setNotify(true, for: pair.remote(pair.sample.notifying))
        _ = try await pair.camera.expectSubscription(to: pair.sample.notifying)
        conditions.packetsUntilLoss = isAnswer ? 1 : 0
        pair.peripheral.readValue(for: try pair.remote(pair.sample.value))
        let error = try await pair.app.expectDisconnected(pair.peripheral)
        #expect(error as? CBError == CBError(.connectionTimeout))
        await pair.camera.events.expect(isAnswer ? ["read", "unsubscribed"] : ["unsubscribed"])
        #expect(conditions.packetsUntilLoss == nil, "the next connection is not cut")
        try await pair.app.connect(pair.peripheral)
    }

    @Test("a request under way is answered with an error before the disconnection")
    func goneInTheMiddle() async throws {
        let pair = try await Pair(air)
        pair.camera.behaviour.withLock { $0.answers = false }
        let value = try pair.remote(pair.sample.value)
        pair.peripheral.readValue(for: value)
        pair.peripheral.writeValue(Data([1]), for: value, type: .withResponse)
        _ = try await pair.camera.nextRead()
        pair.camera.release()
        let order = try await {
            var order: [String] = []
            while order.count < 3 {
                order.append(
                    try await pair.app.events.next("an end") { event in
                        switch event {
                        case .value(_, _, .some): "read"
                        case .wrote(_, .some): "write"
                        case .disconnected: "disconnected"
                        default: nil
                        }
                    })
            }
            return order
        }()
        #expect(order == ["read", "write", "disconnected"])
    }

    @Test("an attempt waits for the peripheral to appear")
    func patience() async throws {
        let address = "C0:00:00:00:00:02"
        let options = air.peripheral(at: address)
        let camera = PeripheralProbe(options, in: air)
        try await camera.expectState(.poweredOn)
        try await camera.advertise("patience")
        let app = try await CentralProbe.ready(air)
        let peripheral = try await app.find("patience")
        camera.manager.stopAdvertising()
        app.manager.connect(peripheral)
        #expect(peripheral.state == .connecting)
        try await camera.advertise("patience")
        try await app.expectConnected(peripheral)
    }

    @Test("a pending attempt can be called off and made again")
    func cancelled() async throws {
        let camera = try await PeripheralProbe.ready(air)
        try await camera.advertise("gone")
        let app = try await CentralProbe.ready(air)
        let peripheral = try await app.find("gone")
        camera.manager.stopAdvertising()
        app.manager.connect(peripheral)
        app.manager.cancelPeripheralConnection(peripheral)
        #expect(try await app.expectDisconnected(peripheral) == nil)
        #expect(peripheral.state == .disconnected)
        try await camera.advertise("gone")
        // Off and on again without waiting: the last word counts.
        app.manager.connect(peripheral)
        app.manager.cancelPeripheralConnection(peripheral)
        app.manager.connect(peripheral)
        try await app.expectDisconnected(peripheral)
        // The first attempt may have succeeded before it was called off.
        repeat { try await app.expectConnected(peripheral) } while peripheral.state != .connected
    }

    @Test("two centrals use one peripheral")
    func two() async throws {
        let pair = try await Pair(air)
        let other = try await CentralProbe.ready(air)
        let peripheral = try await other.find("camera")
        try await other.connect(peripheral)
        try await other.discoverAll(peripheral)
        let service = try #require(peripheral.addedServices?.first)
        let notifying = try #require(service.characteristics?.first { $0.uuid == pair.sample.notifying.uuid })
        try await other.setNotify(true, for: notifying)
        let second = try await pair.camera.expectSubscription(to: pair.sample.notifying)
        try await pair.app.setNotify(true, for: pair.remote(pair.sample.notifying))
        let first = try await pair.camera.expectSubscription(to: pair.sample.notifying)
        #expect(first.identifier != second.identifier)
        #expect(Set(pair.sample.notifying.subscribedCentrals ?? []) == [first, second])
        if Air.isSoftware {
            // BlueZ sends to all who have subscribed.
            #expect(
                pair.camera.manager.updateValue(Data([1]), for: pair.sample.notifying, onSubscribedCentrals: [second]))
            #expect(try await other.nextValue(of: notifying) == Data([1]))
        }
        #expect(pair.camera.manager.updateValue(Data([2]), for: pair.sample.notifying, onSubscribedCentrals: nil))
        #expect(try await other.nextValue(of: notifying) == Data([2]))
        #expect(try await pair.app.nextValue(of: pair.remote(pair.sample.notifying)) == Data([2]))
        other.manager.cancelPeripheralConnection(peripheral)
        try await pair.camera.events.next("the end of the second's subscription") { event in
            if case .unsubscribed(second, _) = event { () } else { nil }
        }
        #expect(pair.peripheral.state == .connected)
    }

    @Test("connected peripherals can be retrieved by their services")
    func retrieved() async throws {
        let pair = try await Pair(air)
        #expect(pair.app.manager.retrieveConnectedPeripherals(withServices: [SampleService.uuid]) == [pair.peripheral])
        #expect(pair.app.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180F")]).isEmpty)
        pair.app.manager.cancelPeripheralConnection(pair.peripheral)
        try await pair.app.expectDisconnected(pair.peripheral)
        #expect(pair.app.manager.retrieveConnectedPeripherals(withServices: [SampleService.uuid]).isEmpty)
    }

    @Test("the link comes back by itself when that was asked for")
    func reconnects() async throws {
        let address = "C0:00:00:00:00:03"
        let options = air.peripheral(at: address)
        let camera = PeripheralProbe(options, in: air)
        try await camera.expectState(.poweredOn)
        let sample = SampleService()
        try await camera.add(sample.service)
        try await camera.advertise("again")
        let app = try await CentralProbe.ready(air)
        app.manager.registerForConnectionEvents()
        let peripheral = try await app.find("again")
        try await app.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        try await app.discoverAll(peripheral)
        let value = try #require(
            peripheral.addedServices?.first?.characteristics?.first { $0.uuid == sample.value.uuid })
        _ = try await app.read(value)
        camera.release()
        try await app.events.next("a disconnection that is mended") { event in
            if case .disconnected(peripheral, .some, isReconnecting: true) = event { () } else { nil }
        }
        let second = PeripheralProbe(options, in: air)
        try await second.expectState(.poweredOn)
        try await second.advertise("again")
        try await app.expectConnected(peripheral)
        let events = app.events.remaining.compactMap { event -> CBConnectionEvent? in
            if case .connectionEvent(let event, peripheral) = event { event } else { nil }
        }
        #expect(events.starts(with: [.peerConnected, .peerDisconnected]))
    }

    @Test("switching the radio off ends everything without didDisconnect, and on again it works")
    func power() async throws {
        let conditions = SoftwareAirFixture.quick()
        let pair = try await Pair(air, app: conditions)
        pair.app.manager.scanForPeripherals(withServices: nil)
        try await air.setPowered(false, conditions)
        try await pair.app.expectState(.poweredOff)
        #expect(pair.peripheral.state == .disconnected)
        #expect(!pair.app.manager.isScanning)
        // Misuse: ignored.
        pair.app.manager.connect(pair.peripheral)
        pair.app.manager.scanForPeripherals(withServices: nil)
        #expect(pair.peripheral.state == .disconnected)
        #expect(!pair.app.manager.isScanning)
        try await air.setPowered(true, conditions)
        try await pair.app.expectState(.poweredOn)
        // A controller of Bumble's, unlike others, is quick enough to tell the end of a link before it is off.
        if Air.isSoftware {
            #expect(
                !pair.app.events.remaining.contains { event in
                    if case .disconnected = event { true } else { false }
                })
        }
        try await pair.app.connect(pair.peripheral)
        try await pair.app.discoverAll(pair.peripheral)
        #expect(try await pair.app.read(pair.remote(pair.sample.fixed)) == Data("Porchlight".utf8))
    }

    @Test("a peripheral whose radio was off advertises again and keeps its services")
    func peripheralPower() async throws {
        let conditions = SoftwareAirFixture.quick()
        let pair = try await Pair(air, camera: conditions)
        try await pair.app.setNotify(true, for: pair.remote(pair.sample.notifying))
        _ = try await pair.camera.expectSubscription(to: pair.sample.notifying)
        try await air.setPowered(false, conditions)
        try await pair.camera.expectState(.poweredOff)
        #expect(!pair.camera.manager.isAdvertising)
        #expect(pair.sample.notifying.subscribedCentrals?.isEmpty == true)
        #expect(try await pair.app.expectDisconnected(pair.peripheral) != nil)
        try await air.setPowered(true, conditions)
        try await pair.app.connect(pair.peripheral)
        try await pair.app.discoverAll(pair.peripheral)
        #expect(pair.peripheral.addedServices?.map(\.uuid) == [SampleService.uuid])
        #expect(pair.camera.manager.isAdvertising)
    }

    @Test("an outage that is over before the manager can look has ended everything all the same")
    func briefOutage() async throws {
        let (ours, theirs) = (SoftwareAirFixture.quick(), SoftwareAirFixture.quick())
        let pair = try await Pair(air, camera: theirs, app: ours)
        try await blink(theirs, unseenBy: pair.camera.queue)
        try await pair.camera.expectState(.poweredOff)
        try await pair.camera.expectState(.poweredOn)
        #expect(try await pair.app.expectDisconnected(pair.peripheral) != nil)
        try await pair.app.connect(pair.peripheral)
        try await blink(ours, unseenBy: pair.app.queue)
        try await pair.app.expectState(.poweredOff)
        try await pair.app.expectState(.poweredOn)
        #expect(pair.peripheral.state == .disconnected)
    }

    private func blink(_ conditions: RadioConditions, unseenBy queue: DispatchQueue) async throws {
        queue.suspend()
        defer { queue.resume() }
        try await air.setPowered(false, conditions)
        try await air.setPowered(true, conditions)
    }

    @Test("nobody is called after the manager is gone, however busy it was")
    func deallocated() async throws {
        let pair = try await Pair(air)
        weak let manager = pair.app.manager
        let value = try pair.remote(pair.sample.value)
        let commands = try pair.remote(pair.sample.commands)
        for byte in UInt8.min...UInt8.max {
            pair.peripheral.readValue(for: value)
            pair.peripheral.writeValue(Data([byte]), for: commands, type: .withoutResponse)
        }
        pair.app.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        pair.app.release()
        // The peripheral hears the end of the connection, so the central's radio is down.
        let other = try await CentralProbe.ready(air)
        try await other.connect(try await other.find("camera"))
        await settled(pair.app.queue)
        #expect(manager == nil)
        let count = pair.app.events.remaining.count
        pair.peripheral.readValue(for: value)
        await settled(pair.app.queue)
        #expect(pair.app.events.remaining.count == count)
        #expect(pair.peripheral.state == .disconnected)
    }

    /// Everything that was on the queue has run.
    private func settled(_ queue: DispatchQueue) async {
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        }
    }
}
