import CoreBluetooth
import Foundation
import TestSupport
import Testing
import Wire

@testable import CameraDevice

/// The transcripts of `docs/pairing-protocol.md`, with the camera of this module and the document's client.
@Suite struct PairingTranscriptTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The camera of the document: its key is the example's of the live protocol.
    private func identity() throws -> CameraIdentity {
        let lines = try ProtocolDocument("live-protocol.md").examples("identity")[0].lines
        let digits = try Array(#require(lines.first { $0.hasPrefix("private key") }?.split(separator: " ").last))
        let key = try stride(from: 0, to: digits.count, by: 2).map { index in
            try #require(UInt8(String(digits[index...index + 1]), radix: 16))
        }
        let id = try #require(lines.first { $0.hasPrefix("device id") }?.split(separator: " ").last)
        let state = try StateDirectory(path: directory.path("camera"))
        let text = ["porchlight-camera-identity-1", Data(key).base64EncodedString(), String(id), ""]
        try state.replace(CameraIdentity.fileName, with: Data(text.joined(separator: "\n").utf8))
        return try CameraIdentity.loaded(from: state)
    }

    private func camera(_ layouts: PairingInfo.Layouts, mtu: Int) async throws -> PairingPeripheral {
        let heard = [
            HeardNetwork(
                ssid: Data("Porchlight Demo".utf8), security: .wpa2, rssi: -48, bands: [.twoGigahertz, .fiveGigahertz]),
            HeardNetwork(ssid: Data("Guest".utf8), security: .open, rssi: -88, bands: .twoGigahertz),
        ]
        let conditions = RadioConditions()
        conditions.mtu = mtu
        let identity = try identity()
        let randomness = PairingRandomness { hello, welcome, share, verifier throws(ProtectedPairingError) in
            var generator = RepeatedByte(0x2E)
            return try ProtectedCameraHandshake(
                hello: hello, welcome: welcome, share: share, verifier: verifier, using: &generator)
        }
        let verifiers = try PasswordVerifiers(
            SetupCode("1357-2468"), deviceID: identity.deviceID,
            stretching: ExchangeWelcome.Stretching(salt: Data(0..<16), logN: 14, r: 8, p: 1))
        let camera = try PairingPeripheral(
            identity: identity, model: "Stoop 2", layouts: layouts, verifiers: verifiers,
            joiner: ScriptedNetworks(heard: heard), clock: ManualClock(), randomness: randomness,
            options: [
                CBManagerOptionRadioDirectoryKey: directory.path("air"), CBManagerOptionRadioConditionsKey: conditions,
            ])
        try await camera.start()
        return camera
    }

    @Test(arguments: [(PairingLayout.standard, 23), (.chunked, 247), (.protected, 247)])
    func theCameraSaysWhatIsWritten(layout: PairingLayout, mtu: Int) async throws {
        let transcript = try Transcript("\(layout)", in: ProtocolDocument("pairing-protocol.md"))
        let camera = try await camera(
            layout == .chunked ? [.standard, .chunked] : [.standard, .chunked, .protected], mtu: mtu)
        // It joins and registers as soon as it may.
        let joining = Task {
            for await case .credentials in camera.outputs {
                camera.attempt(.joined)
                camera.attempt(.registered)
            }
        }
        defer { joining.cancel() }
        let client = ExchangeClient(TestCentral(radioDirectory: directory.path("air"), layout: layout))
        try await client.connect()
        if layout == .standard { try await client.central.subscribe(.networks) }
        for (number, line) in transcript.lines.enumerated() {
            let attribute = try #require(self.attribute(line.characteristic, layout))
            switch line.operation {
            case .read: #expect(try await client.central.read(attribute) == line.bytes, "line \(number)")
            case .write: try await client.central.write(line.bytes, attribute)
            case .notify: #expect(try await notification(client.central) == line.bytes, "line \(number)")
            }
        }
        await camera.stop()
    }

    private func attribute(_ name: String, _ layout: PairingLayout) -> PairingAttribute? {
        guard layout == .standard else { return .exchange(layout) }
        return PairingService.Characteristic.allCases.first { "\($0)" == name }.map { .standard($0) }
    }

    private func notification(_ central: TestCentral) async throws -> Data? {
        try await within(.seconds(20), "a notification") {
            if central.layout == .standard { return await central.notifications.first { _ in true }?.1 }
            return await central.frames.first { _ in true }
        }
    }
}
