import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraPairing

/// The client's half of the transcripts in `docs/pairing-protocol.md`: what this SDK sends is what stands there, byte by
/// byte, and it understands what is answered.
@Suite("The recorded transcripts, replayed")
struct PairingTranscriptTests {
    @Test("Client's half", arguments: PairingLayout.allCases)
    func replay(layout: PairingLayout) async throws {
        let transcript = try Transcript("\(layout)", in: ProtocolDocument("pairing-protocol.md"))
        var script = ScriptedCamera.Script()
        script.layouts = [layout]
        script.transcript = transcript
        var randomness = PairingRandomness()
        randomness.conversation = { 0xA1B2 }
        randomness.handshake = {
            var generator = RepeatedByte(0x1F)
            return try ProtectedClientHandshake(hello: $0, welcome: $1, code: $2, using: &generator)
        }
        let rig = PairingRig(mtu: layout == .standard ? 185 : 247, randomness: randomness)
        if layout == .protected { rig.ble.setupCode = Secret("13572468") }
        let camera = try await rig.camera(script)
        try await rig.connect()
        let id = try await rig.ble.deviceId()
        #expect(DeviceID(rawValue: id) != nil)
        let networks = try await within(.seconds(20), "the list") { [ble = rig.ble] in try await ble.allNetworks() }
        #expect(networks.map(\.ssid) == ["Porchlight Demo", "Guest"])
        try await rig.ble.write(
            WiFiDetailModel(
                ssid: "Porchlight Demo", password: "porchlight", sessionKey: "8Zk3vQ1nT0xWb6RgYc2uLw",
                env: "production", region: "us"))
        if layout != .standard { #expect(try await rig.ble.outcome() == .joined) }
        #expect(camera.player?.deviations == [])
        #expect(camera.player?.isOver == true)
        await rig.ble.released()
    }
}
