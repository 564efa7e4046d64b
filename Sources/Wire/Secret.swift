/// Text that must not reach a log: a Wi-Fi password, a session key, a token.
///
/// Printing, interpolating, dumping and debugging show `<redacted>`. The text itself is had only by ``revealed``, which
/// makes each use easy to find. Encodes as a plain JSON string, since the wire has to carry it.
public struct Secret: Sendable, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The text. Name it only where it leaves for its one legitimate place.
    public let revealed: String

    /// Wraps `text`.
    public init(_ text: String) { revealed = text }

    /// Reads a JSON string.
    public init(from decoder: any Decoder) throws {
        revealed = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes a JSON string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(revealed)
    }

    /// True for the empty text.
    public var isEmpty: Bool { revealed.isEmpty }
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }
    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }
    /// Shows nothing of the text to `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["text": "<redacted>"]) }
}
