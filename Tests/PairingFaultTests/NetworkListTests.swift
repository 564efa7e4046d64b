import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraPairing

@Suite("A crowd of networks", .timeLimit(.minutes(3)))
struct NetworkListTests {
    @Test(
        "five hundred of them, with duplicates, hidden ones and names of all kinds, arrive right",
        arguments: PairingLayout.tested, [23, 517])
    func crowd(layout: PairingLayout, mtu: Int) async throws {
        let air = try PairingAir(mtu: mtu)
        let camera = try FaultCamera(layout, in: air, heard: NetworkCrowd.heard)
        try await camera.start()
        let app = PairingApp(in: air)
        try await app.connect(to: camera.name)
        try await NetworkCrowd.check(app)
        try await app.hangUp()
        await camera.stop()
    }
}

/// Five hundred networks as a camera may hear them in a tower of flats.
enum NetworkCrowd {
    /// Names of 32 bytes: text, emoji, and what is no text at all.
    static let odd: [Data] = [
        Data(String(repeating: "n", count: 32).utf8), Data("🏠🌷🐆🏠🌷🐆🏠🌷".utf8), Data(repeating: 0xFE, count: 32),
        Data([0x48, 0x6F, 0x6D, 0x65, 0x00]), Data([0xC3]), Data(" ".utf8), Data("Ünïcode".utf8),
    ]
    static let distinct = 397

    /// 397 that can be joined; 93 of them are heard twice, and ten stations hide their name.
    static var heard: [HeardNetwork] {
        let names = odd + (odd.count..<distinct).map { Data("Flat \($0)".utf8) }
        let first = names.enumerated().map { index, name in
            HeardNetwork(ssid: name, security: .wpa2, rssi: -40 - index % 50, bands: .twoGigahertz)
        }
        let again = names.prefix(93).map { HeardNetwork(ssid: $0, security: .wpa2, rssi: -30, bands: .fiveGigahertz) }
        let hidden = (0..<10).map { HeardNetwork(ssid: Data(), security: .wpa2, rssi: -35 - $0, bands: .twoGigahertz) }
        return again + hidden + first
    }

    /// A connected app lists them all, the strongest of each.
    static func check(_ app: PairingApp) async throws {
        let list = try await within(.seconds(60), "the whole list") {
            try await app.listNetworks { $0.count >= distinct }
        }
        #expect(list.count == distinct)
        let expected = Set(heard.filter { !$0.ssid.isEmpty }.map { String(decoding: $0.ssid, as: UTF8.self) })
        #expect(Set(list.map(\.ssid)) == expected)
        #expect(list.count { $0.rssi == -30 } == 93, "the strongest of two stations counts")
        #expect(list.allSatisfy { $0.securityProtocol == Int(WiFiSecurity.wpa2.rawValue) })
    }
}
