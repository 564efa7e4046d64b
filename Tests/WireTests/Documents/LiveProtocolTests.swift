import CryptoKit
import Foundation
import TestSupport
import Testing
import Wire

/// `docs/live-protocol.md` says what the code does: its examples are decoded, its signatures verified.
@Suite struct LiveProtocolTests {
    private let document: ProtocolDocument

    init() throws { document = try ProtocolDocument("live-protocol.md") }

    /// The rows of the identity example: name, value.
    private func identity(_ name: String) throws -> String {
        let lines = try #require(document.examples("identity").first).lines
        let line = try #require(lines.first { $0.hasPrefix(name) })
        return String(try #require(line.split(separator: " ").last))
    }

    private func bytes(_ hex: String) throws -> Data {
        let digits = Array(hex)
        return Data(
            try stride(from: 0, to: digits.count, by: 2).map { index in
                try #require(UInt8(String(digits[index...index + 1]), radix: 16))
            })
    }

    /// Decodes every example of a type and writes it again: nothing of it may be lost.
    private func messages<Message: Codable>(_ type: Message.Type) throws -> [Message] {
        try document.examples("\(type)").flatMap(\.objects).map { text in
            let message = try value(type, fromJSON: text)
            let original = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
            let written = try JSONSerialization.jsonObject(with: JSONEncoder().encode(message)) as? NSDictionary
            #expect(original == written)
            return message
        }
    }

    @Test func everyExampleIsChecked() {
        #expect(
            Set(document.examples.map(\.name)) == [
                "identity", "APIError", "DeviceRegistration", "DeviceRegistrationReceipt", "PairingFailureReport",
                "CameraSocketMessage", "CloudSocketMessage", "DataChannelMessage",
            ])
    }

    @Test func deviceIDBelongsToTheKey() throws {
        let privateKey = try Curve25519.Signing.PrivateKey(rawRepresentation: bytes(identity("private key")))
        let publicKey = privateKey.publicKey.rawRepresentation
        #expect(try publicKey == bytes(identity("public key")))
        let digest = SHA256.hash(data: publicKey)
        #expect(try Data(digest) == bytes(identity("SHA-256")))
        #expect(try DeviceID(publicKeyDigest: digest).rawValue == identity("device id"))
    }

    @Test func registration() throws {
        let registration = try #require(messages(DeviceRegistration.self).first)
        #expect(try registration.deviceId.rawValue == identity("device id"))
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: registration.publicKey)
        let signed = DeviceRegistration.signedBytes(
            sessionKey: registration.sessionKey, deviceId: registration.deviceId)
        #expect(key.isValidSignature(registration.signature, for: signed))
        #expect(!key.isValidSignature(registration.signature, for: signed + [0]))

        let receipt = try #require(messages(DeviceRegistrationReceipt.self).first)
        #expect(receipt.deviceId == registration.deviceId)
        #expect(try messages(PairingFailureReport.self).map(\.failure) == [.wrongPassword])
        #expect(try messages(APIError.self).map(\.code) == [.sessionKeyExpired])
    }

    @Test func handshake() throws {
        let camera = try messages(CameraSocketMessage.self)
        let cloud = try messages(CloudSocketMessage.self)
        guard case .hello(let id, CameraSocketMessage.version) = camera[0], case .proof(let signature) = camera[1],
            case .challenge(let nonce) = cloud[0], case .welcome(keepAlive: 55) = cloud[1], case .refused = cloud[2]
        else {
            Issue.record("the handshake's messages are not in their order")
            return
        }
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: bytes(identity("public key")))
        #expect(key.isValidSignature(signature, for: CameraSocketMessage.signedBytes(deviceId: id, nonce: nonce)))
        #expect(nonce.count == 32)
    }

    @Test func offerAndAnswer() throws {
        let cloud = try messages(CloudSocketMessage.self)
        let camera = try messages(CameraSocketMessage.self)
        guard case .goAway(retryAfter: 2500) = cloud[3],
            case .offer(let id, let session, _, let servers, deadline: 10_000) = cloud[4],
            case .endSession(session) = cloud[5], case .answer(id, _) = camera[2], case .failure(id, _) = camera[3],
            case .sessionEnded(session) = camera[4]
        else {
            Issue.record("the messages of an offer are not in their order")
            return
        }
        #expect(servers.count == 2)
        #expect(cloud.count == 6)
        #expect(camera.count == 5)
    }

    @Test func dataChannel() throws {
        let texts = try document.examples("DataChannelMessage").flatMap(\.objects)
        let messages = texts.compactMap { DataChannelMessage(decoding: Data($0.utf8)) }
        #expect(
            messages == [
                .rssi(-48), .temperature(21), .humidity(45), .streamEnded(reason: "Privacy is on."),
                .streamFailed(reason: "The lens was unplugged."), .wakeUp(reason: "live_start"), .goodbye,
            ])
        let rows = try document.table("| type | direction | members")
        #expect(
            try rows.map { $0[0] }
                == texts.map { try #require(value([String: AnyJSON].self, fromJSON: $0)["type"]?.text) })
        #expect(document.text.contains("with the label `\(DataChannelMessage.channelLabel)`"))
        #expect(DataChannelMessage.maximumBytes == 16_384)
        #expect(document.text.contains("at most 16,384 bytes"))
    }

    @Test func routes() {
        for path in [CloudRoute.registrations, CloudRoute.pairingFailures] {
            #expect(document.text.contains("`POST \(path)`"))
        }
        #expect(document.text.contains("`GET \(CloudRoute.cameraSocket)`"))
        #expect(document.text.contains("`POST \(CloudRoute.live(space: "{spaceId}", device: "{deviceId}"))`"))
    }

    /// A string or a number.
    private struct AnyJSON: Decodable {
        var text: String?

        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }
}
