import DBus
import Foundation
import Testing
import Wire

@testable import CameraDevice

@Suite struct SupplicantNetworkTests {
    private static let all: Set<String> = ["none", "wpa-psk", "wpa-psk-sha256", "sae", "owe"]
    private static let old: Set<String> = ["none", "wpa-psk"]

    private func block(
        _ password: String, _ security: WiFiSecurity, _ methods: Set<String> = all
    ) throws -> SupplicantNetwork {
        try SupplicantNetwork(
            Samples.network(ssid: "Home \u{1F3E0}", password: password, security: security), methods: methods)
    }

    @Test func theNameIsBytesAndIsAskedFor() throws {
        let block = try block("", .open)
        #expect(block.fields["ssid"] == .bytes(Data("Home \u{1F3E0}".utf8)))
        #expect(block.fields["scan_ssid"] == 1)
        #expect(block.fields["id_str"] == .string(SupplicantRetreat.mark))
    }

    @Test(arguments: [
        SupplicantRetreat(current: nil, enabled: []),
        SupplicantRetreat(current: "/board/1", enabled: ["/board/1", "/board/2"]),
        SupplicantRetreat(current: nil, enabled: ["/board/2"]),
    ])
    func aTriedNetworkCarriesTheWayBack(_ retreat: SupplicantRetreat) throws {
        let network = try Samples.network()
        let block = try SupplicantNetwork(network, methods: Self.all, retreat: retreat)
        let text = try #require(block.fields["id_str"]?.string)
        #expect(SupplicantRetreat(text: text) == retreat)
    }

    @Test(arguments: [
        "", SupplicantRetreat.mark, SupplicantRetreat.mark + " ", "other - /a", SupplicantRetreat.mark + "- /a",
        String(repeating: SupplicantRetreat.mark, count: 1000), String(SupplicantRetreat.mark.dropLast()) + " -", "\0",
    ])
    func anotherMarkIsNoWayBack(_ text: String) {
        #expect(SupplicantRetreat(text: text) == nil)
    }

    @Test func anOpenNetworkHasNoKey() throws {
        #expect(try block("", .open, Self.old).fields["key_mgmt"] == "NONE")
        let fields = try block("", .open).fields
        #expect(fields["key_mgmt"] == "NONE OWE")
        #expect(fields["psk"] == nil && fields["sae_password"] == nil)
    }

    @Test func aPassphraseIsTextAndAKeyIsBytes() throws {
        #expect(try block("correct horse", .wpa2).fields["psk"] == "correct horse")
        let key = try block(String(repeating: "0aF1", count: 16), .wpa2)
        #expect(key.fields["psk"] == .bytes(Data((0..<32).map { $0 % 2 == 0 ? 0x0A : 0xF1 })))
        #expect(!key.offersSAE, "SAE needs the passphrase")
        #expect(key.fields["key_mgmt"] == "WPA-PSK WPA-PSK-SHA256")
        let long = String(repeating: "x", count: 63)
        #expect(try block(long, .wpa2).fields["psk"] == .string(long))
    }

    @Test func wpa2TakesWPA3WhereBothSidesKnowIt() throws {
        let both = try block("correct horse", .wpa2)
        #expect(both.offersSAE)
        #expect(both.fields["key_mgmt"] == "WPA-PSK WPA-PSK-SHA256 SAE")
        #expect(both.fields["ieee80211w"] == 1)
        #expect(both.fields["proto"] == "RSN", "and never the older WPA")
        let old = try block("correct horse", .wpa2, Self.old)
        #expect(!old.offersSAE)
        #expect(old.fields["key_mgmt"] == "WPA-PSK WPA-PSK-SHA256")
    }

    @Test func wpa3IsNeverMadeWeaker() throws {
        let block = try block("correct horse", .wpa3)
        #expect(block.fields["key_mgmt"] == "SAE")
        #expect(block.fields["ieee80211w"] == 2)
        #expect(block.fields["sae_password"] == "correct horse")
        #expect(block.fields["psk"] == nil)
        #expect(throws: WiFiError.unsuitable(reason: "this radio does not know WPA3")) {
            try self.block("correct horse", .wpa3, Self.old)
        }
    }

    @Test func noDescriptionOrDumpShowsThePassword() throws {
        let key = String(repeating: "0aF1", count: 16)
        for (password, security) in [("correct horse", WiFiSecurity.wpa2), ("correct horse", .wpa3), (key, .wpa2)] {
            let block = try block(password, security)
            var shown = "\(block) \(String(reflecting: block)) \([block])"
            dump(block, to: &shown)
            dump(["block": block], to: &shown)
            #expect(shown.contains("key_mgmt"))
            // A key of 64 digits would be shown as 32 bytes.
            for secret in ["horse", "0aF1", "32 bytes", "241"] { #expect(!shown.contains(secret)) }
        }
    }
}
