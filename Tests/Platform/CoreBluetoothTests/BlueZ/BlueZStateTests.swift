import Basics
import DBus
import Dispatch
import Foundation
import Glibc
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
        #expect(probe.radio.explanation?.contains("/nonexistent/bus") == true)
        await probe.settle()
        #expect(probe.events.remaining.isEmpty)
    }

    @Test("no daemon, then no adapter, then one that is off, then on")
    func later() async throws {
        let daemon = try FakeBlueZ()
        let probe = RadioProbe(daemon)
        try await probe.expect(.unsupported)
        #expect(probe.radio.explanation?.contains("systemctl start bluetooth") == true)
        try await daemon.start()
        daemon.addAdapter(powered: false)
        try await probe.expect(.poweredOff)
        #expect(probe.radio.explanation?.contains("bluetoothctl power on") == true)
        daemon.power(true)
        try await probe.expect(.poweredOn)
        #expect(probe.radio.explanation == nil)
    }

    @Test("a daemon that is there and does not list its objects is not called absent")
    func mute() async throws {
        let bus = try PrivateBus()
        let queue = DispatchQueue(label: "test.mute")
        let daemon = try BusConnection(.address(bus.address), queue: queue)
        let object = try queue.sync {
            try daemon.export(at: "/") { call in call.fail("org.bluez.Error.Failed", "stuck") }
        }
        try await withCheckedThrowingContinuation { continuation in
            queue.sync { daemon.requestName(BlueZ.service) { continuation.resume(with: $0) } }
        }
        let probe = RadioProbe(.address(bus.address), clock: ManualClock())
        try await probe.expect(.unsupported)
        #expect(probe.radio.explanation?.contains("stuck") == true)
        withExtendedLifetime((daemon, object)) {}
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

    @Test("an adapter is chosen by name")
    func choice() async throws {
        let daemon = try await FakeBlueZ.powered()
        daemon.addAdapter("hci1", powered: false)
        let address = BusAddress.address(daemon.bus.address)
        let probe = RadioProbe(address, adapter: "hci1", clock: QuickClock())
        try await probe.expect(.poweredOff)
    }

    @Test(
        "a manager that is there before the daemon: unsupported, then on; as a camera or an app at the machine's start")
    func managerFirst() async throws {
        let daemon = try FakeBlueZ()
        let states = Recorder<CBManagerState>()
        let radio = BlueZRadio(bus: .address(daemon.bus.address), clock: RadioClock(ManualClock()))
        let central = StateRecorder(states, radio)
        #expect(try await states.next("a state") { $0 } == .unsupported)
        #expect(central.reason?.contains("bluetoothd is not on the bus") == true)
        try await daemon.start()
        daemon.addAdapter()
        #expect(try await states.next("a state") { $0 } == .poweredOn)
        #expect(central.reason == nil)
        withExtendedLifetime(central) {}
    }

    @Test("a bus that says nothing does not hold the manager's queue up")
    func stuckBus() async throws {
        // Connecting takes its 5 s and then is an event. A queue that waited for it would have its turn only after that; one
        // that did not may have it later still on a machine that is busy, but not each time.
        var hasWaited = true
        for _ in 0..<3 where hasWaited {
            let bus = try SilentSocket()
            let probe = RadioProbe(.address("unix:path=\(bus.path)"), clock: ManualClock())
            await probe.settle()
            hasWaited = !probe.events.remaining.isEmpty
            probe.on { $0.shutdown() }
        }
        #expect(!hasWaited)
    }
}

/// A manager whose states are recorded.
private final class StateRecorder: NSObject, CBCentralManagerDelegate {
    private let states: Recorder<CBManagerState>
    private let manager = Locked<CBCentralManager?>(nil)

    init(_ states: Recorder<CBManagerState>, _ radio: BlueZRadio) {
        self.states = states
        super.init()
        let central = CBCentralManager(
            delegate: self, queue: DispatchQueue(label: "test.manager"),
            options: [RadioSelection.backendKey: radio, CBManagerOptionStateDirectoryKey: "/nonexistent"])
        manager.withLock { $0 = central }
    }

    var reason: String? { manager.withLock { $0?.stateReason } }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { states.record(central.state) }
}
