public import Foundation

/// What a camera says on its socket.
///
/// JSON, one object a message, `type` names the case: see `docs/live-protocol.md`.
public enum CameraSocketMessage: Sendable, Hashable {
    /// The version of the socket protocol.
    public static let version = 1

    /// First message: who is calling.
    case hello(deviceId: DeviceID, version: Int)
    /// Ed25519 over ``signedBytes(deviceId:nonce:)``.
    case proof(signature: Data)
    /// The answer to the offer of this id.
    case answer(id: String, sdp: String)
    /// The offer of this id cannot be served.
    case failure(id: String, reason: String)
    /// A live session ended on the camera's side.
    case sessionEnded(session: String)

    /// What the proof signs: a purpose line, the device id and the nonce in base 64, separated by line feeds.
    public static func signedBytes(deviceId: DeviceID, nonce: Data) -> Data {
        Data("porchlight-camera-socket-1\n\(deviceId.rawValue)\n\(nonce.base64EncodedString())".utf8)
    }
}

extension CameraSocketMessage: Codable {
    private enum Kind: String, Codable { case hello, proof, answer, failure, sessionEnded }
    private enum CodingKeys: String, CodingKey {
        case type, deviceId, version, signature, id, sdp, reason, session
    }

    /// Reads one message.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .type) {
        case .hello:
            self = .hello(
                deviceId: try container.decode(DeviceID.self, forKey: .deviceId),
                version: try container.decode(Int.self, forKey: .version))
        case .proof: self = .proof(signature: try container.decode(Data.self, forKey: .signature))
        case .answer:
            self = .answer(
                id: try container.decode(String.self, forKey: .id), sdp: try container.decode(String.self, forKey: .sdp)
            )
        case .failure:
            self = .failure(
                id: try container.decode(String.self, forKey: .id),
                reason: try container.decode(String.self, forKey: .reason))
        case .sessionEnded:
            self = .sessionEnded(session: try container.decode(String.self, forKey: .session))
        }
    }

    /// Writes one message.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .hello(let deviceId, let version):
            try container.encode(Kind.hello, forKey: .type)
            try container.encode(deviceId, forKey: .deviceId)
            try container.encode(version, forKey: .version)
        case .proof(let signature):
            try container.encode(Kind.proof, forKey: .type)
            try container.encode(signature, forKey: .signature)
        case .answer(let id, let sdp):
            try container.encode(Kind.answer, forKey: .type)
            try container.encode(id, forKey: .id)
            try container.encode(sdp, forKey: .sdp)
        case .failure(let id, let reason):
            try container.encode(Kind.failure, forKey: .type)
            try container.encode(id, forKey: .id)
            try container.encode(reason, forKey: .reason)
        case .sessionEnded(let session):
            try container.encode(Kind.sessionEnded, forKey: .type)
            try container.encode(session, forKey: .session)
        }
    }
}
