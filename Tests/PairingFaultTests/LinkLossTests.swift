import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraPairing

@Suite("A link that is lost", .timeLimit(.minutes(3)))
struct LinkLossTests {
    /// How often the link is lost at each packet.
    private static let rounds = 10

    @Test("at every packet of a pairing, ten times at each, and a retry that succeeds", arguments: PairingLayout.tested)
    func everyPacket(layout: PairingLayout) async throws {
        let air = try PairingAir()
        let camera = try FaultCamera(layout, in: air)
        try await camera.start()
        let app = PairingApp(in: air)
        for round in 1...Self.rounds {
            var lost: [PairingApp.Step: Int] = [:]
            var packets = 0
            while true {
                let number = packets
                let step = try await within(.seconds(60), "round \(round), packet \(number)") {
                    try await lose(number, app, camera, air)
                }
                guard let step else { break }
                lost[step, default: 0] += 1
                packets += 1
            }
            // On the exchange the camera has said who it is by the time it is connected.
            let passed: Set<PairingApp.Step> = layout == .standard ? [.finding] : [.finding, .deviceID]
            #expect(Set(lost.keys) == Set(PairingApp.Step.allCases).subtracting(passed), "round \(round)")
            // Not before each field was on its way.
            #expect(lost[.credentials, default: 0] >= 2, "round \(round): \(lost)")
        }
        await camera.stop()
    }

    /// A pairing whose link is lost instead of a packet of this number, and the retry.
    /// - Returns: The step at which it was lost; nil when the pairing has fewer packets.
    private func lose(
        _ packets: Int, _ app: PairingApp, _ camera: FaultCamera, _ air: PairingAir
    ) async throws -> PairingApp.Step? {
        air.conditions.packetsUntilLoss = packets
        defer { air.conditions.packetsUntilLoss = nil }
        do {
            try await app.pair(camera.name, Handover.protected)
            _ = try await camera.credentials()
            let wasLost = air.conditions.packetsUntilLoss == nil
            try await app.hangUp()
            // The radio tries again by itself where the link was not up yet.
            return wasLost ? .connecting : nil
        } catch let error as CameraPairingError {
            let step = app.step
            #expect(error.isLoss || error == .noOutcome && step == .credentials, "packet \(packets), \(step)")
            #expect(air.conditions.packetsUntilLoss == nil)
            try await app.isUnlinked()
            try await app.pair(camera.name, Handover.open)
            // What was applied by the last packet that arrived, or nothing.
            let expected = try Handover.credentials(Handover.open)
            let first = try await camera.credentials()
            if first != expected {
                #expect(try first == Handover.credentials(Handover.protected), "packet \(packets), \(step)")
                #expect(step == .credentials)
                #expect(try await camera.credentials() == expected)
            }
            try await app.hangUp()
            return step
        }
    }
}
