import Foundation

/// A device id: 27 characters without white space, as printed on the camera.
///
/// Ids of our cameras are `PLC` and 24 characters of Crockford's base 32, the first 120 bits of the SHA-256 digest of
/// the device's public key. So an id belongs to one key, and no other key can claim it.
public struct DeviceID: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// The number of characters of every device id.
    public static let length = 27

    /// The 27 characters.
    public let rawValue: String

    /// Accepts 27 visible ASCII characters; surrounding white space is trimmed first, since scanners add it.
    public init?(rawValue: String) {
        let trimmed = rawValue.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.utf8.count == Self.length, trimmed.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.rawValue = trimmed
    }

    /// The id that belongs to a public key.
    /// - Parameter publicKeyDigest: SHA-256 of the key's 32 raw bytes; at least 15 bytes are needed.
    public init(publicKeyDigest: some Sequence<UInt8>) {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        var text = "PLC"
        var buffer = 0
        var bits = 0
        for byte in publicKeyDigest.prefix(15) {
            buffer = (buffer & 0x1F) << 8 | Int(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[(buffer >> bits) & 0x1F])
            }
        }
        precondition(text.utf8.count == Self.length, "a digest of at least 15 bytes is needed")
        rawValue = text
    }

    /// Reads a JSON string and checks it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = DeviceID(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a device id is 27 characters without white space")
        }
        self = id
    }

    /// Writes a JSON string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The 27 characters.
    public var description: String { rawValue }
    /// The last four characters, which the camera shows in its Bluetooth name.
    public var ending: String { String(rawValue.suffix(4)) }
}
