import DBus
import Foundation
import Testing
import Wire

@testable import CameraDevice

@Suite struct HeardStationTests {
    private static let ssid = Data("Home".utf8)

    private func network(wpa: [String] = [], rsn: [String] = [], privacy: Bool? = nil) throws -> HeardNetwork {
        try #require(HeardStation(.station(Self.ssid, wpa: wpa, rsn: rsn, privacy: privacy))).network
    }

    @Test func tellsHowTheNetworkIsProtected() throws {
        #expect(try network().security == .open)
        #expect(try network(privacy: true).security == .wep)
        #expect(try network(wpa: ["wpa-psk"]).security == .wpa)
        #expect(try network(rsn: ["wpa-psk"]).security == .wpa2)
        #expect(try network(rsn: ["wpa-psk-sha256", "wpa-ft-psk"]).security == .wpa2)
        #expect(try network(wpa: ["wpa-psk"], rsn: ["wpa-psk"]).security == .wpa2)
        #expect(try network(rsn: ["sae"]).security == .wpa3)
        #expect(try network(rsn: ["wpa-eap"]).security == .enterprise)
        #expect(try network(wpa: ["wpa-eap"]).security == .enterprise)
        #expect(try network(rsn: ["wpa-eap-suite-b-192"]).security == .enterprise)
        #expect(try network(rsn: ["owe"]).security == .open)
    }

    @Test func aTransitionalNetworkIsShownAsTheKindThatEverybodyCanJoin() throws {
        #expect(try network(rsn: ["wpa-psk", "sae"]).security == .wpa2)
        #expect(try network(rsn: ["wpa-eap", "wpa-psk"]).security == .wpa2)
    }

    @Test func keysOfAnUnknownKindAreNotTakenForAnOpenNetwork() throws {
        var station: [String: BusValue] = .station(Self.ssid, privacy: true)
        station["RSN"] = .properties(["KeyMgmt": .strings([]), "Pairwise": .strings(["ccmp"]), "Group": "ccmp"])
        #expect(try #require(HeardStation(station)).network.security == .enterprise)
    }

    @Test(arguments: [
        (2412, WiFiBands.twoGigahertz), (2484, .twoGigahertz), (5180, .fiveGigahertz), (5885, .fiveGigahertz),
        (5955, .sixGigahertz), (7115, .sixGigahertz), (60_480, WiFiBands()), (0, WiFiBands()),
    ])
    func theFrequencyGivesTheBand(megahertz: Int, band: WiFiBands) throws {
        let station = try #require(HeardStation(.station(Self.ssid, megahertz: UInt16(megahertz))))
        #expect(station.network.bands == band)
    }

    @Test func keepsStrengthAndBytes() throws {
        let emoji = Data([0xF0, 0x9F, 0x8F, 0xA0] + [UInt8](repeating: 0xFF, count: 28))
        let station = try #require(HeardStation(.station(emoji, signal: -77)))
        #expect(station.network.ssid == emoji)
        #expect(station.network.rssi == -77)
    }

    @Test func whatHidesIsKnown() throws {
        #expect(try #require(HeardStation(.station(Data()))).isHidden)
        #expect(try #require(HeardStation(.station(Data(count: 7)))).isHidden)
        #expect(!(try #require(HeardStation(.station(Self.ssid))).isHidden))
    }

    @Test func whatIsNoStationOfANetworkIsPassedOver() {
        #expect(HeardStation(.station(Self.ssid, mode: "ad-hoc")) == nil)
        #expect(HeardStation(.station(Data(count: 33))) == nil)
        #expect(HeardStation([:]) == nil)
        #expect(HeardStation(["SSID": "text"]) == nil)
    }

    @Test func saysWhyCredentialsCannotFit() throws {
        func obstacle(_ rsn: [String], _ password: String, _ security: WiFiSecurity? = nil) throws -> WiFiError? {
            let station = try #require(HeardStation(.station("Home", rsn: rsn)))
            return [station].obstacle(to: try Samples.network(ssid: "Home", password: password, security: security))
        }
        #expect(try obstacle(["wpa-psk"], "a password") == nil)
        #expect(try obstacle(["sae"], "a password") == nil, "told WPA2, a camera joins WPA3 too")
        #expect(try obstacle(["sae"], "a password", .wpa3) == nil)
        #expect(try obstacle([], "") == nil)
        #expect(try obstacle(["owe"], "") == nil)
        #expect(try obstacle(["wpa-psk"], "") == .wrongPassword)
        #expect(try obstacle(["wpa-psk"], "a password", .wpa3)?.pairingFailure == .invalidCredentials)
        #expect(try obstacle([], "a password")?.pairingFailure == .invalidCredentials)
        #expect(try obstacle(["wpa-eap"], "a password")?.pairingFailure == .invalidCredentials)
        #expect(try obstacle(["wpa-eap"], "")?.pairingFailure == .invalidCredentials)
    }
}
