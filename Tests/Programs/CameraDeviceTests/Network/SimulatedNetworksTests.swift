import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

@Suite struct SimulatedNetworksTests {
    private func outcome(
        _ ssid: String, _ password: String = "", security: WiFiSecurity? = nil
    ) async throws -> PairingFailure? {
        let networks = SimulatedNetworks(delays: .none)
        do throws(PairingFailure) {
            let credentials: PairingCredentials
            do {
                credentials = try Samples.credentials(ssid: ssid, password: password, security: security)
            } catch {
                Issue.record("\(error)")
                return nil
            }
            try await networks.join(NetworkCredentials(credentials))
            return nil
        } catch {
            return error
        }
    }

    @Test func joinsWhatARadioWouldJoin() async throws {
        #expect(try await outcome("Porchlight Demo", "porchlight") == nil)
        #expect(try await outcome("Porchlight Guest") == nil)
        #expect(try await outcome("Workshop", "chisel and plane", security: .wpa3) == nil)
    }

    @Test func refusesWhatARadioWouldRefuse() async throws {
        #expect(try await outcome("Porchlight Demo", "Porchlight") == .wrongPassword)
        #expect(try await outcome("Porchlight Demo") == .wrongPassword)
        #expect(try await outcome("porchlight demo", "porchlight") == .networkNotFound)
        #expect(try await outcome("Campus", "password") == .invalidCredentials)
        #expect(try await outcome("Campus") == .invalidCredentials)
        #expect(try await outcome("Porchlight Guest", "password") == .invalidCredentials)
    }

    @Test func takesItsTime() async throws {
        let clock = ManualClock()
        let networks = SimulatedNetworks(clock: clock)
        let right = try Samples.credentials()
        let wrong = try Samples.credentials(password: "not the one")
        async let joined: Void = networks.join(NetworkCredentials(right))
        await clock.sleepers()
        clock.advance(by: SimulatedNetworks.Delays.realistic.join)
        try await joined
        let refused = Task { try await networks.join(NetworkCredentials(wrong)) }
        await clock.sleepers()
        clock.advance(by: SimulatedNetworks.Delays.realistic.refusal)
        await #expect(throws: PairingFailure.wrongPassword) { try await refused.value }
    }

    @Test func reportsTheStrengthOfTheJoinedNetwork() async throws {
        let networks = SimulatedNetworks(delays: .none)
        #expect(await networks.signalStrength() == -48)
        try await networks.join(Samples.network(ssid: "Workshop", password: "chisel and plane"))
        #expect(await networks.signalStrength() == -63)
        await #expect(throws: PairingFailure.wrongPassword) {
            try await networks.join(Samples.network(password: "not the one"))
        }
        #expect(await networks.signalStrength() == -63, "a failed attempt leaves the old network")
    }

    @Test func goesBackToTheNetworkThatWasKept() async throws {
        let networks = SimulatedNetworks(delays: .none)
        let workshop = try Samples.network(ssid: "Workshop", password: "chisel and plane")
        try await networks.join(workshop)
        await networks.goBack()
        #expect(await networks.signalStrength() == -48)
        try await networks.join(workshop)
        await networks.keep()
        try await networks.join(Samples.network())
        #expect(await networks.signalStrength() == -48)
        await networks.goBack()
        await networks.keep()
        #expect(await networks.signalStrength() == -63)
    }

    @Test func listsEveryKindOfNetwork() async throws {
        let heard = try await SimulatedNetworks(delays: .none).scan()
        #expect(Set(heard.map(\.security)).isSuperset(of: [.open, .wpa, .wpa2, .wpa3]))
        #expect(heard.contains { $0.bands == .fiveGigahertz })
        #expect(heard.merged().count == heard.count)
    }
}

@Suite struct HeardNetworksTests {
    private func network(
        _ ssid: String, _ rssi: Int, _ security: WiFiSecurity = .wpa2, _ bands: WiFiBands = .twoGigahertz
    ) -> HeardNetwork {
        HeardNetwork(ssid: Data(ssid.utf8), security: security, rssi: rssi, bands: bands)
    }

    @Test func theStrongestStationAndAllBandsAreKept() {
        let merged = [
            network("A", -70), network("B", -50), network("A", -40, .wpa2, .fiveGigahertz), network("A", -90),
        ].merged()
        #expect(merged == [network("A", -40, .wpa2, [.twoGigahertz, .fiveGigahertz]), network("B", -50)])
    }

    @Test func oneNameWithTwoProtectionsIsTwoNetworks() {
        #expect([network("A", -70), network("A", -60, .open)].merged().count == 2)
    }

    @Test func bytesMakeTheNameNotText() {
        let composed = HeardNetwork(ssid: Data("é".utf8), security: .open, rssi: -1, bands: [])
        let decomposed = HeardNetwork(ssid: Data("e\u{301}".utf8), security: .open, rssi: -1, bands: [])
        #expect([composed, decomposed].merged().count == 2)
    }

    @Test func hiddenAndImpossibleNamesAreLeftOut() {
        #expect([network("", -30), network(String(repeating: "x", count: 33), -30)].merged().isEmpty)
    }

    @Test func aCrowdIsCutToTheStrongest() {
        let crowd = (0..<500).map { network("\($0)", -$0 % 128) }
        let merged = crowd.merged(limit: 10)
        #expect(merged.count == 10)
        #expect(merged.allSatisfy { $0.rssi >= -3 })
    }
}
