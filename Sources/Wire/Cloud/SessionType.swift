/// What kind of camera a pairing session is for.
///
/// In JSON: `{"kind": "other"}` or `{"kind": "fourG", "deviceId": "…"}`.
public enum SessionType: Sendable, Hashable, Codable {
    /// Any camera that joins by Wi-Fi or wire.
    case other
    /// A cellular camera that is paired again.
    case fourG(deviceId: String)

    private enum Kind: String, Codable { case other, fourG }
    private enum CodingKeys: String, CodingKey { case kind, deviceId }

    /// Reads JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .kind) {
        case .other: self = .other
        case .fourG: self = .fourG(deviceId: try container.decode(String.self, forKey: .deviceId))
        }
    }

    /// Writes JSON.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .other:
            try container.encode(Kind.other, forKey: .kind)
        case .fourG(let deviceId):
            try container.encode(Kind.fourG, forKey: .kind)
            try container.encode(deviceId, forKey: .deviceId)
        }
    }
}
