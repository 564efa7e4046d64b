import CoreBluetooth
import DBus
import Foundation
import TestSupport
import Testing

@testable import porchlight

@Suite("What doctor finds out about Bluetooth", .timeLimit(.minutes(2)))
struct BluetoothCheckTests {
    private static let adapter = "org.bluez.Adapter1"
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func check(
        _ bus: PrivateBus, preferring adapter: String? = nil, version: String? = "5.66"
    ) -> BluetoothCheck {
        BluetoothCheck(radio: .blueZ(adapter: adapter), bus: .address(bus.address), version: { version })
    }

    private func bluetoothd(
        on bus: PrivateBus, powered: Bool = true, more: FakeDaemon.Object = [:]
    ) async throws -> FakeDaemon {
        var object: FakeDaemon.Object = [
            Self.adapter: ["Address": "00:AA:01:00:00:00", "Powered": .bool(powered)]
        ]
        object.merge(more) { _, new in new }
        return try await FakeDaemon("org.bluez", on: bus, objects: ["/org/bluez/hci0": object])
    }

    private static func advertising(free: UInt8) -> FakeDaemon.Object {
        ["org.bluez.LEAdvertisingManager1": ["SupportedInstances": .byte(free)], "org.bluez.GattManager1": [:]]
    }

    private func problem(_ findings: [Finding]) throws -> Finding {
        try #require(findings.first { $0.level == .problem }, "\(findings)")
    }

    @Test("Everything there: the daemon's version, the adapter, and that it can advertise")
    func works() async throws {
        let bus = try PrivateBus()
        let daemon = try await bluetoothd(on: bus, more: Self.advertising(free: 3))
        let findings = await check(bus).findings(for: [.app, .camera])
        #expect(findings.map(\.check) == ["bluetooth.daemon", "bluetooth.adapter", "bluetooth.advertising"])
        #expect(findings.allSatisfy { $0.level == .ok && $0.remedy == nil })
        #expect(findings[0].says.contains("5.66"))
        #expect(findings[1].says.contains("hci0 (00:AA:01:00:00:00)"))
        withExtendedLifetime(daemon) {}
    }

    @Test("An app needs no advertising")
    func app() async throws {
        let bus = try PrivateBus()
        let daemon = try await bluetoothd(on: bus)
        let findings = await check(bus).findings(for: [.app])
        #expect(findings.map(\.check) == ["bluetooth.daemon", "bluetooth.adapter"])
        #expect(findings.allSatisfy { $0.level == .ok })
        withExtendedLifetime(daemon) {}
    }

    @Test("No bus, and a bus without the daemon, installed or not")
    func absent() async throws {
        let nowhere = BluetoothCheck(radio: .blueZ(adapter: nil), bus: .address("unix:path=\(directory.path("none"))"))
        #expect(try problem(await nowhere.findings(for: [.app])).check == "bluetooth.bus")

        let bus = try PrivateBus()
        let stopped = try problem(await check(bus).findings(for: [.app]))
        #expect(stopped.check == "bluetooth.daemon")
        #expect(stopped.remedy?.hasPrefix("systemctl") == true)
        let missing = BluetoothCheck(
            radio: .blueZ(adapter: nil), bus: .address(bus.address), version: { nil })
        #expect(try problem(await missing.findings(for: [.app])).remedy?.contains("apt-get install bluez") == true)
    }

    @Test("A bus that takes the connection and says nothing does not hold the examination")
    func hungBus() async throws {
        let socket = try SilentSocket()
        let check = BluetoothCheck(radio: .blueZ(adapter: nil), bus: .address("unix:path=\(socket.path)"))
        let clock = ManualClock()
        let examination = Examination(checks: [check], roles: [.app], clock: clock)
        async let sections = within(.seconds(4), "the end of the examination") { await examination.run() }
        await clock.sleepers()
        clock.advance(by: .seconds(2))
        let finding = try #require(try await sections.first?.findings.first)
        #expect(finding.check == "bluetooth.late")
        #expect(finding.level == .problem)
        #expect(finding.remedy?.contains("restart bluetooth") == true)
        withExtendedLifetime(socket) {}
    }

    @Test("A daemon that does not answer is named")
    func silentDaemon() async throws {
        let bus = try PrivateBus()
        let daemon = try await bluetoothd(on: bus)
        let silence = try daemon.fallSilent()
        let finding = try problem(await check(bus).findings(for: [.app]))
        #expect(finding.check == "bluetooth.daemon")
        #expect(finding.says == "bluetoothd does not answer")
        withExtendedLifetime((daemon, silence)) {}
    }

    @Test("The bus's policy keeps this account away")
    func denied() async throws {
        let bus = try PrivateBus(
            policy: #"<policy context="default"><deny send_destination="org.bluez"/></policy>"#)
        let daemon = try await bluetoothd(on: bus)
        let finding = try problem(await check(bus).findings(for: [.app]))
        #expect(finding.check == "bluetooth.permission")
        #expect(finding.remedy?.contains("usermod") == true)
        withExtendedLifetime(daemon) {}
    }

    @Test("A version that is too old, and one that is not told")
    func versions() async throws {
        let bus = try PrivateBus()
        let daemon = try await bluetoothd(on: bus)
        for old in ["5.65", "4.101"] {
            let finding = try problem(await check(bus, version: old).findings(for: [.app]))
            #expect(finding.check == "bluetooth.daemon")
            #expect(finding.says.contains(old))
        }
        for new in ["5.66", "5.100", "6.0"] {
            #expect(await check(bus, version: new).findings(for: [.app])[0].level == .ok)
        }
        #expect(await check(bus, version: nil).findings(for: [.app])[0].level == .note)
        withExtendedLifetime(daemon) {}
    }

    @Test("The version is the installed daemon's own word")
    func installedVersion() async throws {
        let programs = ["/nonexistent", "/usr/libexec/bluetooth/bluetoothd"]
        let version = try await within(.seconds(20), "its word") { await BluetoothCheck.version(of: programs) }
        #expect(version?.wholeMatch(of: /[0-9]+\.[0-9]+/) != nil)
        #expect(await BluetoothCheck.version(of: ["/nonexistent"]) == nil)
        // It says no number.
        #expect(try await within(.seconds(20), "its word") { await BluetoothCheck.version(of: ["/bin/true"]) } == nil)
    }

    @Test("No adapter, one that is off, and one by a name that there is not")
    func adapters() async throws {
        let empty = try PrivateBus()
        let none = try await FakeDaemon(
            "org.bluez", on: empty, objects: ["/org/bluez": ["org.bluez.AgentManager1": [:]]])
        let missing = try problem(await check(empty).findings(for: [.app]))
        #expect(missing.check == "bluetooth.adapter")
        #expect(missing.says == "bluetoothd has no adapter")

        let bus = try PrivateBus()
        let daemon = try await bluetoothd(on: bus, powered: false)
        let off = try problem(await check(bus).findings(for: [.app]))
        #expect(off.says.contains("hci0 (00:AA:01:00:00:00) is switched off"))
        #expect(off.remedy?.contains("bluetoothctl power on") == true)
        let other = try problem(await check(bus, preferring: "hci7").findings(for: [.app]))
        #expect(other.says == "there is no adapter hci7")
        #expect(other.remedy?.contains("hci0") == true)
        withExtendedLifetime((none, daemon)) {}
    }

    @Test("A camera cannot do with an adapter that cannot advertise, or has no room for one more")
    func advertising() async throws {
        for (more, says) in [([:], "cannot advertise"), (Self.advertising(free: 0), "taken by other programs")] {
            let bus = try PrivateBus()
            let daemon = try await bluetoothd(on: bus, more: more)
            let finding = try problem(await check(bus).findings(for: [.camera]))
            #expect(finding.check == "bluetooth.advertising")
            #expect(finding.says.contains(says))
            withExtendedLifetime(daemon) {}
        }
    }

    @Test("The software radio is worth a note, a radio that there is not is a problem")
    func otherRadios() async throws {
        let software = await BluetoothCheck(radio: .software(directory: "/air")).findings(for: [.app])
        #expect(software.map(\.level) == [.note])
        #expect(software[0].says.contains("/air"))
        let absent = await BluetoothCheck(radio: .absent(reason: "blues")).findings(for: [.app])
        #expect(absent.map(\.level) == [.problem])
        #expect(absent[0].says == "blues")
    }
}
