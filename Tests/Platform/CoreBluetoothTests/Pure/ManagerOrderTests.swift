import Basics
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("Managers: what is called off, and in which order", .timeLimit(.minutes(1)))
struct ManagerOrderTests {
    private static let address = RadioAddress(number: 0xC0_0000_0000_07)

    private let radio = ScriptedRadio()

    /// A manager that has discovered the radio's one peripheral.
    private func discovered(
        _ options: [String: Any] = [:]
    ) async throws -> (CentralProbe, ScriptedCentral, CBPeripheral) {
        let app = CentralProbe(radio.options.merging(options) { $1 })
        try await app.expectState(.poweredOn)
        let central = try #require(radio.central.withLock { $0 })
        app.manager.scanForPeripherals(withServices: nil)
        central.report(.discovered(Self.address, Advertisement(localName: "camera"), rssi: -50))
        return (app, central, try await app.discovered("camera").0)
    }

    private func expect(_ what: String, of central: ScriptedCentral) async throws {
        try await central.asked.next(what) { $0 == what ? () : nil }
    }

    /// A manager whose service is being added.
    private func adding() async throws -> (PeripheralProbe, ScriptedPeripheral, SampleService) {
        let camera = PeripheralProbe(radio.options)
        try await camera.expectState(.poweredOn)
        let peripheral = try #require(radio.peripheral.withLock { $0 })
        let sample = SampleService()
        camera.manager.add(sample.service)
        try await peripheral.asked.next("add") { $0 == "add" ? () : nil }
        return (camera, peripheral, sample)
    }

    @Test("a connect that is put off comes when its time has come")
    func delayed() async throws {
        let clock = ManualClock()
        let (app, central, peripheral) = try await discovered([RadioSelection.clockKey: RadioClock(clock)])
        app.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 5 as NSNumber])
        #expect(peripheral.state == .connecting)
        await clock.sleepers()
        clock.advance(by: .seconds(4.9))
        app.manager.stopScan()
        try await expect("stopScan", of: central)
        #expect(!central.asked.remaining.contains("connect"))
        clock.advance(by: .seconds(0.1))
        try await expect("connect", of: central)
    }

    @Test("a connect that is put off can be called off, and made again at once")
    func delayedAndCalledOff() async throws {
        let clock = ManualClock()
        let (app, central, peripheral) = try await discovered([RadioSelection.clockKey: RadioClock(clock)])
        app.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 5 as NSNumber])
        await clock.sleepers()
        app.manager.cancelPeripheralConnection(peripheral)
        #expect(try await app.expectDisconnected(peripheral) == nil)
        #expect(peripheral.state == .disconnected)

        app.manager.connect(peripheral)
        try await expect("connect", of: central)
        central.report(.connected(Self.address, mtu: 23))
        try await app.expectConnected(peripheral)
        clock.advance(by: .seconds(5))
        // The link breaks: nothing that was called off may take it up again.
        central.report(.disconnected(Self.address, .radio(.connectionTimeout)))
        #expect(try await app.expectDisconnected(peripheral) != nil)
        #expect(peripheral.state == .disconnected)
        app.manager.stopScan()
        try await expect("stopScan", of: central)
        #expect(central.asked.remaining == ["scan", "disconnect"])
    }

    @Test("a cancellation that comes while the link breaks ends nothing that is asked for afterwards")
    func lateCancellation() async throws {
        let (app, central, peripheral) = try await discovered()
        try await app.connect(peripheral, whenAsked: central)
        app.onDisconnect.withLock { $0 = { manager, peripheral in manager.connect(peripheral) } }

        app.queue.suspend()
        central.report(.disconnected(Self.address, .radio(.peripheralDisconnected)))
        app.manager.cancelPeripheralConnection(peripheral)
        app.queue.resume()
        #expect(try await app.expectDisconnected(peripheral) != nil)
        try await expect("connect", of: central)
        central.report(.connected(Self.address, mtu: 23))
        try await app.expectConnected(peripheral)
        #expect(peripheral.state == .connected)
        #expect(!central.asked.remaining.contains("disconnect"))
        let isToldTwice = app.events.remaining.contains { if case .disconnected = $0 { true } else { false } }
        #expect(!isToldTwice)
    }

    @Test("a connection that comes while it is called off and asked for anew is ended, and the new one made")
    func calledOffAndAskedAnew() async throws {
        let (app, central, peripheral) = try await discovered()
        app.manager.connect(peripheral)
        try await expect("connect", of: central)
        app.queue.suspend()
        central.report(.connected(Self.address, mtu: 23))
        app.manager.cancelPeripheralConnection(peripheral)
        app.manager.connect(peripheral)
        app.queue.resume()
        #expect(try await app.expectDisconnected(peripheral) == nil)
        try await expect("connect", of: central)
        #expect(peripheral.state == .connecting)
        central.report(.connected(Self.address, mtu: 23))
        try await app.expectConnected(peripheral)
        #expect(peripheral.state == .connected)
        let isToldTwice = app.events.remaining.contains { if case .connected = $0 { true } else { false } }
        #expect(!isToldTwice)
    }

    @Test("what is asked for while the radio goes off ends with it")
    func askedForTooLate() async throws {
        let (app, central, peripheral) = try await discovered()
        app.queue.suspend()
        central.report(.state(.poweredOff))
        app.manager.scanForPeripherals(withServices: nil)
        app.manager.connect(peripheral)
        app.queue.resume()
        try await app.expectState(.poweredOff)
        central.report(.state(.poweredOn))
        try await app.expectState(.poweredOn)
        #expect(!app.manager.isScanning)
        #expect(peripheral.state == .disconnected)
        #expect(!central.asked.remaining.contains("connect"))
    }

    @Test("a service that is taken away while it is added, and added again, is there")
    func addedAgain() async throws {
        let (camera, peripheral, sample) = try await adding()
        camera.manager.remove(sample.service)
        camera.manager.add(sample.service)
        try await peripheral.asked.next("add") { $0 == "add" ? () : nil }
        let local = try #require(peripheral.waiting)
        peripheral.completeAddition()
        let isRefused = try await camera.events.next("the end of the first addition") { event in
            if case .added(_, let error) = event { error != nil } else { nil }
        }
        #expect(isRefused)
        let isAdded = try await camera.events.next("the end of the second addition") { event in
            if case .added(_, let error) = event { error == nil } else { nil }
        }
        #expect(isAdded)

        let value = try #require(local.characteristics.first { $0.uuid == sample.value.uuid })
        peripheral.report(
            .read(RemoteCentral(address: Self.address, mtu: 23), value.id, offset: 0, RequestTicket(number: 1)))
        _ = try await camera.nextRead()
    }

    @Test("a central that comes back is the same one, also after the program was started again")
    func returningCentral() async throws {
        var identifiers: [UUID] = []
        for _ in 0..<2 {
            let (camera, peripheral, sample) = try await adding()
            let local = try #require(peripheral.waiting)
            peripheral.completeAddition()
            let value = try #require(local.characteristics.first { $0.uuid == sample.value.uuid })
            for visit in 0..<2 {
                let remote = RemoteCentral(address: Self.address, mtu: 23)
                peripheral.report(.read(remote, value.id, offset: 0, RequestTicket(number: UInt64(visit))))
                identifiers.append(try await camera.nextRead().central.identifier)
                peripheral.report(.disconnected(remote))
            }
        }
        #expect(identifiers.count == 4)
        #expect(Set(identifiers).count == 1)
    }
}

extension CentralProbe {
    fileprivate func connect(_ peripheral: CBPeripheral, whenAsked central: ScriptedCentral) async throws {
        manager.connect(peripheral)
        try await central.asked.next("connect") { $0 == "connect" ? () : nil }
        central.report(.connected(peripheral.address, mtu: 23))
        try await expectConnected(peripheral)
    }
}
