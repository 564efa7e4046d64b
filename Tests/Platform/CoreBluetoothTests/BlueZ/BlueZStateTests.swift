import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("BlueZ: the adapter's state", .timeLimit(.minutes(2)))
struct BlueZStateTests {
    @Test("an adapter that is on, off, and on again")
    func power() async throws {
        let daemon = try await FakeBlueZ.powered()
        let probe = try await RadioProbe.on(daemon)
        daemon.power(false)
        try await probe.expect(.poweredOff)
        daemon.power(true)
        try await probe.expect(.poweredOn)
        #expect(probe.events.remaining.isEmpty)
    }

    @Test("no bus: unsupported, and found when it comes")
    func noBus() async throws {
        let probe = RadioProbe(.address("unix:path=/nonexistent/bus"), clock: ManualClock())
        try await probe.expect(.unsupported)
        await probe.settle()
        #expect(probe.events.remaining.isEmpty)
    }

    @Test("no daemon, then no adapter, then one that is off, then on")
    func later() async throws {
        let daemon = try FakeBlueZ()
        let probe = RadioProbe(daemon)
        try await probe.expect(.unsupported)
        try await daemon.start()
        daemon.addAdapter(powered: false)
        try await probe.expect(.poweredOff)
        daemon.power(true)
        try await probe.expect(.poweredOn)
    }

    @Test("a daemon that is restarted is expected back; one that stays away is not")
    func restart() async throws {
        let daemon = try await FakeBlueZ.powered()
        let clock = ManualClock()
        let probe = try await RadioProbe.on(daemon, clock: clock)
        daemon.kill()
        try await probe.expect(.resetting)
        try await daemon.start()
        daemon.addAdapter()
        try await probe.expect(.poweredOn)
        daemon.kill()
        try await probe.expect(.resetting)
        await clock.sleepers()
        clock.advance(by: BlueZAdapter.patience)
        try await probe.expect(.unsupported)
        try await daemon.start()
        daemon.addAdapter()
        try await probe.expect(.poweredOn)
    }

    @Test("an adapter that is pulled out and plugged in")
    func unplugged() async throws {
        let daemon = try await FakeBlueZ.powered()
        let probe = try await RadioProbe.on(daemon, clock: ManualClock())
        daemon.removeAdapter()
        try await probe.expect(.resetting)
        daemon.addAdapter()
        try await probe.expect(.poweredOn)
    }

    @Test("a bus whose policy refuses: unauthorized")
    func denied() async throws {
        let daemon = try await FakeBlueZ.powered(
            policy: """
                <policy context="default">
                  <deny send_destination="org.bluez" send_interface="org.freedesktop.DBus.ObjectManager"/>
                </policy>
                """)
        let probe = RadioProbe(daemon)
        try await probe.expect(.unauthorized)
    }

    @Test("the bus itself goes away and everything is over")
    func busLost() async throws {
        let daemon = try await FakeBlueZ.powered()
        let probe = try await RadioProbe.on(daemon, clock: ManualClock())
        daemon.bus.stop()
        try await probe.expect(.resetting)
    }

    @Test("an adapter is chosen by name, and the probe looks for one that is on")
    func choice() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addAdapter("hci1", powered: false)
        let address = BusAddress.address(daemon.bus.address)
        let probe = RadioProbe(address, adapter: "hci1", clock: QuickClock())
        try await probe.expect(.poweredOff)
        #expect(BlueZRadio.isPowered(on: address, adapter: nil))
        #expect(BlueZRadio.isPowered(on: address, adapter: "hci0"))
        #expect(!BlueZRadio.isPowered(on: address, adapter: "hci1"))
        #expect(!BlueZRadio.isPowered(on: .address("unix:path=/nonexistent/bus"), adapter: nil))
    }
}
