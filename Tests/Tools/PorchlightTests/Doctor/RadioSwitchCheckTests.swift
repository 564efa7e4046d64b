import Foundation
import TestSupport
import Testing

@testable import porchlight

@Suite("What doctor finds out about radio switches")
struct RadioSwitchCheckTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func add(_ entry: String, _ name: String, _ kind: String, soft: Bool = false, hard: Bool = false) throws {
        let place = directory.url.appending(path: entry)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for (file, value) in [("name", name), ("type", kind), ("soft", soft ? "1" : "0"), ("hard", hard ? "1" : "0")] {
            try Data("\(value)\n".utf8).write(to: place.appending(path: file))
        }
    }

    private func findings(_ roles: Set<Role> = [.app, .camera], usesBlueZ: Bool = true) async -> [Finding] {
        await RadioSwitchCheck(directory: directory.url, usesBlueZ: usesBlueZ).findings(for: roles)
    }

    @Test("Open switches are fine, and a kernel without any has nothing to tell")
    func open() async throws {
        #expect(await findings().isEmpty)
        try add("rfkill0", "hci0", "bluetooth")
        try add("rfkill1", "phy0", "wlan")
        let findings = await findings()
        #expect(findings.map(\.check) == ["rfkill.bluetooth", "rfkill.wlan"])
        #expect(findings.allSatisfy { $0.level == .ok })
    }

    @Test("One that a program has closed is opened by a command")
    func soft() async throws {
        try add("rfkill0", "hci0", "bluetooth", soft: true)
        let finding = try #require(await findings().first)
        #expect(finding.level == .problem)
        #expect(finding.says.contains("blocked by a program (hci0)"))
        #expect(finding.remedy?.hasPrefix("rfkill unblock bluetooth") == true)
    }

    @Test("One of the hardware is not")
    func hard() async throws {
        try add("rfkill3", "phy0", "wlan", soft: true, hard: true)
        let finding = try #require(await findings().first)
        #expect(finding.check == "rfkill.wlan")
        #expect(finding.level == .problem)
        #expect(finding.remedy?.contains("rfkill") == false)
    }

    @Test("One of two that is closed is a note")
    func several() async throws {
        try add("rfkill0", "hci0", "bluetooth")
        try add("rfkill1", "hci1", "bluetooth", soft: true)
        #expect(await findings().map(\.level) == [.note])
    }

    @Test("An app asks for no Wi-Fi, and the software radio for no Bluetooth")
    func needed() async throws {
        try add("rfkill0", "hci0", "bluetooth", soft: true)
        try add("rfkill1", "phy0", "wlan", soft: true)
        #expect(await findings([.app]).map(\.check) == ["rfkill.bluetooth"])
        #expect(await findings([.camera], usesBlueZ: false).map(\.check) == ["rfkill.wlan"])
    }
}
