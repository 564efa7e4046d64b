import TestSupport
import Testing
import Wire

@testable import CameraPairing

@Suite("Two apps and one camera", .timeLimit(.minutes(2)))
struct TwoAppsTests {
    @Test(
        "one of them pairs it, the other is told, and has its turn after the first has failed",
        arguments: PairingLayout.tested)
    func race(layout: PairingLayout) async throws {
        let air = try PairingAir()
        let camera = try FaultCamera(layout, in: air)
        try await camera.start()
        try await within(.seconds(60), "both turns") { try await Rivals(air).race(for: camera) }
        await camera.stop()
    }
}

/// Two apps that want the same camera.
struct Rivals: Sendable {
    private let first: PairingApp
    private let second: PairingApp

    init(_ air: PairingAir) {
        first = PairingApp(.app, in: air)
        second = PairingApp(.otherApp, in: air)
    }

    func race(for camera: FaultCamera) async throws {
        // Both are at the last step when the first begins with it.
        for app in [first, second] {
            try await app.connect(to: camera.name)
            _ = try await app.listNetworks { $0.count == FaultCamera.someNetworks.count }
        }
        camera.hold()
        try await first.ble.write(Handover.protected)
        #expect(try await camera.credentials() == Handover.credentials(Handover.protected))
        await #expect(throws: CameraPairingError.cameraBusy) { try await second.ble.write(Handover.open) }
        camera.release(.networkNotFound)
        try await second.pair(camera.name, Handover.open)
        #expect(try await camera.credentials() == Handover.credentials(Handover.open))
        try await first.hangUp()
        try await second.hangUp()
    }
}
