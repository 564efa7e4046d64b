import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("BlueZ: connecting", .timeLimit(.minutes(2)))
struct BlueZConnectTests {
    /// A daemon that knows one device, and a radio that is on.
    private func prepared() async throws -> (FakeBlueZ, RadioProbe) {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        return (daemon, try await RadioProbe.on(daemon))
    }

    @Test("connect, resolve, disconnect, and again at once")
    func cycle() async throws {
        let (daemon, probe) = try await prepared()
        for _ in 0..<3 {
            try await probe.connect()
            #expect(try await probe.services().get().map(\.uuid) == [CBUUID(string: "FFF0")])
            #expect(probe.radio.connectedPeripherals.keys.contains(FakeBlueZ.address))
            probe.on { $0.disconnect(FakeBlueZ.address) }
            #expect(try await probe.disconnected() == nil)
        }
        for _ in 0..<3 { try await daemon.called("Disconnect") }
        await probe.catchUp()
        #expect(probe.radio.connectedPeripherals.isEmpty)
    }

    @Test(
        "an attempt outlives passing trouble",
        arguments: [
            (BlueZ.ErrorName.failed, "le-connection-abort-by-local"), (BlueZ.ErrorName.inProgress, "In Progress"),
            (BlueZ.ErrorName.failed, "Operation already in progress"),
            (BlueZ.ErrorName.failed, "br-connection-canceled"),
            (BlueZ.ErrorName.failed, "le-connection-concurrent-connection-limit"),
            (BlueZ.ErrorName.notReady, "Resource Not Ready"),
        ])
    func trouble(name: String, message: String) async throws {
        let (daemon, probe) = try await prepared()
        let error = FakeBlueZ.Reply.error(name, message)
        daemon.script("Connect", error, error, error, error, error, error)
        try await probe.connect()
        for _ in 0..<7 { try await daemon.called("Connect") }
        #expect(daemon.remaining("Connect") == 0)
    }

    @Test("a success without a connection is not believed")
    func falseSuccess() async throws {
        let (daemon, probe) = try await prepared()
        daemon.script("Connect", .nothing)
        try await probe.connect()
        for _ in 0..<2 { try await daemon.called("Connect") }
    }

    @Test("what cannot work is refused once")
    func refused() async throws {
        let (daemon, probe) = try await prepared()
        daemon.script("Connect", .error(BlueZ.ErrorName.failed, "le-connection-not-supported"))
        probe.on { $0.connect(FakeBlueZ.address) }
        try await probe.events.next("a failure") { event in
            if case .connectFailed(FakeBlueZ.address, .radio(.connectionFailed, _)) = event { () } else { nil }
        }
        try await probe.connect()
    }

    @Test("a device that the daemon does not know is looked for by a scan that nobody hears")
    func unknown() async throws {
        let daemon = try await FakeBlueZ.powered()
        let probe = try await RadioProbe.on(daemon)
        probe.on { $0.connect(FakeBlueZ.address) }
        try await daemon.called("StartDiscovery")
        daemon.addDevice(RadioAddress(number: 0xC000_0000_0009), name: "another")
        daemon.addDevice(services: [.standard])
        try await probe.connected()
        try await daemon.called("StopDiscovery")
        #expect(probe.events.remaining.allSatisfy { if case .discovered = $0 { false } else { true } })
    }

    @Test("a device object that is removed in the middle of connecting is found again")
    func removed() async throws {
        let (daemon, probe) = try await prepared()
        daemon.script("Connect", .silence)
        probe.on { $0.connect(FakeBlueZ.address) }
        try await daemon.called("Connect")
        daemon.removeDevice()
        daemon.answerSilenced("Connect", (BlueZ.ErrorName.failed, "br-connection-canceled"))
        try await daemon.called("StartDiscovery")
        daemon.addDevice(services: [.standard])
        try await probe.connected()
    }

    @Test("a pending attempt is withdrawn: the daemon is told, and a later attempt waits for its word")
    func withdrawn() async throws {
        let (daemon, probe) = try await prepared()
        daemon.script("Connect", .silence)
        daemon.script("Disconnect", .silence)
        probe.on { $0.connect(FakeBlueZ.address) }
        try await daemon.called("Connect")
        probe.on { $0.disconnect(FakeBlueZ.address) }
        #expect(try await probe.disconnected() == nil)
        try await daemon.called("Disconnect")
        probe.on { $0.connect(FakeBlueZ.address) }
        await probe.settle()
        #expect(daemon.remaining("Connect") == 0)
        daemon.answerSilenced("Disconnect")
        try await probe.connected()
        daemon.answerSilenced("Connect", (BlueZ.ErrorName.failed, "br-connection-canceled"))
        #expect(try await probe.services().get().count == 1)
    }

    @Test("a connection that another program or an earlier run made is taken over")
    func adopted() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(rssi: nil, connected: true, uuids: [FakeService.long("FFF0")], services: [.standard])
        let probe = try await RadioProbe.on(daemon)
        await probe.settle()
        #expect(probe.radio.connectedPeripherals == [FakeBlueZ.address: [CBUUID(string: "FFF0")]])
        try await probe.connect()
        #expect(try await probe.services().get().count == 1)
    }

    @Test("attempts take turns, and one that takes long lets the others go first")
    func turns() async throws {
        let (daemon, probe) = try await prepared()
        let absent = RadioAddress(number: 0xC000_0000_0005)
        daemon.addDevice(absent, rssi: nil)
        await probe.catchUp()
        daemon.script("Connect", .silence)
        probe.on { radio in
            radio.connect(absent)
            radio.connect(FakeBlueZ.address)
        }
        let first = try await daemon.called("Connect")
        #expect(first.path == absent.devicePath(adapter: "/org/bluez/hci0"))
        try await probe.connected()
        try await daemon.called("Disconnect")
        probe.on { $0.disconnect(absent) }
        try await probe.disconnected(absent)
    }

    @Test("a scan goes on after an attempt that takes long was put off")
    func scanGoesFirst() async throws {
        let (daemon, probe) = try await prepared()
        daemon.script("Connect", .silence)
        probe.on { radio in
            radio.scan(ScanRequest())
            radio.connect(FakeBlueZ.address)
        }
        try await daemon.called("Connect")
        try await daemon.called("Disconnect")
        try await daemon.called("StartDiscovery")
        daemon.advertise()
        try await probe.connected()
    }

    @Test("two managers share a link; the last one ends it")
    func shared() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        let sharing = AdapterSharing()
        let first = RadioProbe(daemon, sharing: sharing)
        let second = RadioProbe(daemon, sharing: sharing)
        try await first.expect(.poweredOn)
        try await second.expect(.poweredOn)
        try await first.connect()
        try await second.connect()
        first.on { $0.disconnect(FakeBlueZ.address) }
        try await first.disconnected()
        #expect(try await second.services().get().count == 1)
        #expect(daemon.remaining("Disconnect") == 0)
        second.on { $0.disconnect(FakeBlueZ.address) }
        try await second.disconnected()
        try await daemon.called("Disconnect")
    }

    /// Two radios of one process, of which the second is connected.
    private func pair(_ daemon: FakeBlueZ) async throws -> (RadioProbe, RadioProbe) {
        let sharing = AdapterSharing()
        let pair = (RadioProbe(daemon, sharing: sharing), RadioProbe(daemon, sharing: sharing))
        try await pair.0.expect(.poweredOn)
        try await pair.1.expect(.poweredOn)
        try await pair.1.connect()
        try await daemon.called("Connect")
        daemon.script("Disconnect", .silence)
        return pair
    }

    @Test("who connects while another manager's link is being taken down waits for its end")
    func whileAnotherLeaves() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        let (first, second) = try await pair(daemon)
        second.on { $0.disconnect(FakeBlueZ.address) }
        try await daemon.called("Disconnect")
        // The device is connected as yet, and the daemon would say so.
        first.on { $0.connect(FakeBlueZ.address) }
        await first.catchUp()
        await first.catchUp()
        #expect(daemon.remaining("Connect") == 0)
        daemon.breakLink()
        daemon.answerSilenced("Disconnect")
        try await first.connected()
        try await daemon.called("Connect")
        #expect(try await first.services().get().count == 1)
        await first.catchUp()
        #expect(!first.events.remaining.contains { if case .disconnected = $0 { true } else { false } })
    }

    @Test("also when the other manager is gone by then")
    func whileAnotherIsLetGo() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        let (first, second) = try await pair(daemon)
        second.on { $0.shutdown() }
        try await daemon.called("Disconnect")
        first.on { $0.connect(FakeBlueZ.address) }
        await first.catchUp()
        await first.catchUp()
        #expect(daemon.remaining("Connect") == 0)
        daemon.breakLink()
        daemon.answerSilenced("Disconnect")
        try await first.connected()
    }

    @Test("a manager that has called the daemon keeps the link that another one does not want any more")
    func whileAnotherCalls() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        let (first, second) = try await pair(daemon)
        daemon.script("Connect", .silence)
        first.on { $0.connect(FakeBlueZ.address) }
        try await daemon.called("Connect")
        second.on { $0.disconnect(FakeBlueZ.address) }
        try await second.disconnected()
        daemon.answerSilenced("Connect")
        try await first.connected()
        await second.catchUp()
        #expect(daemon.remaining("Disconnect") == 0)
    }

    @Test("a daemon that dies while it takes a link down keeps nobody from connecting")
    func diesWhileLeaving() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        let (first, second) = try await pair(daemon)
        second.on { $0.disconnect(FakeBlueZ.address) }
        try await daemon.called("Disconnect")
        daemon.kill()
        try await first.expect(.resetting)
        try await daemon.start()
        daemon.addAdapter()
        daemon.addDevice(services: [.standard])
        try await first.expect(.poweredOn)
        try await first.connect()
    }

    @Test("a link that outlives its daemon is not taken for a new one")
    func ghostLink() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        let clock = ManualClock()
        let probe = try await RadioProbe.on(daemon, clock: clock)
        try await probe.connect()
        try await daemon.called("Connect")
        daemon.kill()
        try await probe.expect(.resetting)
        try await daemon.start()
        daemon.addAdapter()
        daemon.addDevice(connected: true, services: [.standard])
        try await probe.expect(.poweredOn)
        probe.on { $0.connect(FakeBlueZ.address) }
        await probe.catchUp()
        await probe.catchUp()
        #expect(daemon.remaining("Connect") == 0)
        daemon.breakLink()
        clock.advance(by: BlueZCentral.afterlife)
        try await probe.connected()
        try await daemon.called("Connect")
        #expect(try await probe.services().get().count == 1)
    }

    @Test("a manager that goes away ends its connections")
    func goneManager() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addDevice(services: [.standard])
        do {
            let probe = try await RadioProbe.on(daemon)
            try await probe.connect()
        }
        try await daemon.called("Disconnect")
    }

    @Test("after an attempt that is called off, nobody connects before the daemon has ended it")
    func calledOff() async throws {
        let (daemon, probe) = try await prepared()
        let absent = RadioAddress(number: 0xC000_0000_0005)
        daemon.addDevice(absent, rssi: nil)
        await probe.catchUp()
        daemon.script("Connect", .silence)
        daemon.script("Disconnect", .silence)
        probe.on { radio in
            radio.connect(absent)
            radio.connect(FakeBlueZ.address)
        }
        try await daemon.called("Connect")
        probe.on { $0.disconnect(absent) }
        try await daemon.called("Disconnect")
        await probe.catchUp()
        #expect(daemon.remaining("Connect") == 0)
        daemon.answerSilenced("Disconnect")
        try await probe.connected()
    }
}
