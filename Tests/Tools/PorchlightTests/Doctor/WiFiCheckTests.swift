import DBus
import Foundation
import TestSupport
import Testing

@testable import porchlight

@Suite("What doctor finds out about Wi-Fi", .timeLimit(.minutes(1)))
struct WiFiCheckTests {
    private static let supplicant = "fi.w1.wpa_supplicant1"
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for path in ["net/lo", "net/eth0", "proc/1"] { try make(path) }
        try run("init", as: 1)
    }

    private func make(_ path: String) throws {
        try FileManager.default.createDirectory(
            at: directory.url.appending(path: path), withIntermediateDirectories: true)
    }

    private func run(_ program: String, as number: Int) throws {
        try make("proc/\(number)")
        try Data("\(program)\n".utf8).write(to: directory.url.appending(path: "proc/\(number)/comm"))
    }

    private func findings(_ bus: BusAddress) async -> [Finding] {
        await WiFiCheck(
            interfaces: directory.url.appending(path: "net"), processes: directory.url.appending(path: "proc"), bus: bus
        ).findings(for: [.camera])
    }

    private func supplicant(on bus: PrivateBus) async throws -> FakeDaemon {
        try await FakeDaemon(
            Self.supplicant, on: bus, objects: ["/fi/w1/wpa_supplicant1": [Self.supplicant: ["Interfaces": .paths([])]]]
        )
    }

    @Test("A machine without an interface is worth a note, and asks nobody")
    func wired() async throws {
        let findings = await findings(.address("unix:path=/nonexistent"))
        #expect(findings.map(\.check) == ["wifi.interface"])
        #expect(findings[0].level == .note)
    }

    @Test("An interface, wpa_supplicant and a client for addresses")
    func works() async throws {
        try make("net/wlan0/phy80211")
        try run("dhcpcd", as: 200)
        let bus = try PrivateBus()
        let daemon = try await supplicant(on: bus)
        let findings = await findings(.address(bus.address))
        #expect(findings.map(\.check) == ["wifi.interface", "wifi.supplicant", "wifi.address"])
        #expect(findings.allSatisfy { $0.level == .ok })
        #expect(findings[0].says == "wlan0")
        withExtendedLifetime(daemon) {}
    }

    @Test("Without wpa_supplicant, and where the policy keeps this account away from it")
    func noSupplicant() async throws {
        try make("net/wlan0/wireless")
        let empty = try PrivateBus()
        let absent = try #require(await findings(.address(empty.address)).first { $0.level == .problem })
        #expect(absent.check == "wifi.supplicant")
        #expect(absent.remedy?.contains("systemctl enable --now wpa_supplicant") == true)

        let bus = try PrivateBus(
            policy: "<policy context=\"default\"><deny send_destination=\"\(Self.supplicant)\"/></policy>")
        let daemon = try await supplicant(on: bus)
        let denied = try #require(await findings(.address(bus.address)).first { $0.level == .problem })
        #expect(denied.check == "wifi.permission")
        #expect(denied.remedy?.contains(Self.supplicant) == true)

        let noBus = try #require(await findings(.address("unix:path=/nonexistent")).first { $0.level == .problem })
        #expect(noBus.check == "wifi.supplicant")
        withExtendedLifetime(daemon) {}
    }

    @Test("A wpa_supplicant that does not answer is named")
    func silentSupplicant() async throws {
        try make("net/wlan0/phy80211")
        let bus = try PrivateBus()
        let daemon = try await supplicant(on: bus)
        let silence = try daemon.fallSilent()
        let finding = try #require(await findings(.address(bus.address)).first { $0.level == .problem })
        #expect(finding.says == "wpa_supplicant does not answer")
        withExtendedLifetime((daemon, silence)) {}
    }

    @Test("An interface that NetworkManager has is worth a note, with the command that takes it away")
    func managed() async throws {
        try make("net/wlan0/phy80211")
        let bus = try PrivateBus()
        let daemon = try await supplicant(on: bus)
        // It is there and does not say which interfaces are its own: it is taken to have them.
        let manager = try await FakeDaemon("org.freedesktop.NetworkManager", on: bus)
        let finding = try #require(await findings(.address(bus.address)).first { $0.check == "wifi.manager" })
        #expect(finding.level == .note)
        #expect(finding.remedy?.contains("nmcli device set wlan0 managed no") == true)
        withExtendedLifetime((daemon, manager)) {}
    }

    @Test("Without a client for addresses a joined network is of no use; one that does not look again neither")
    func addresses() async throws {
        try make("net/wlan0/phy80211")
        let bus = try PrivateBus()
        let daemon = try await supplicant(on: bus)
        let none = try #require(await findings(.address(bus.address)).last)
        #expect(none.check == "wifi.address")
        #expect(none.level == .problem)
        try run("dhclient", as: 7)
        let inattentive = try #require(await findings(.address(bus.address)).last)
        #expect(inattentive.level == .problem)
        #expect(inattentive.says.hasPrefix("dhclient runs"))
        try run("systemd-network", as: 8)
        #expect(await findings(.address(bus.address)).last?.level == .ok)
        withExtendedLifetime(daemon) {}
    }
}
