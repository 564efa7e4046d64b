public import Foundation

/// What travels on the data channel of a live view: one JSON object a message, `type` names the case.
///
/// A message of a type that is not known is no error: ``init(decoding:)`` gives `nil`, and the app gets the bytes.
public enum DataChannelMessage: Sendable, Hashable {
    /// The channel's label in the offer.
    public static let channelLabel = "porchlight"
    /// The longest message accepted, in bytes.
    public static let maximumBytes = 16_384

    /// Camera to viewer: the strength of the camera's own network, in dBm.
    case rssi(Int)
    /// Camera to viewer: degrees Celsius.
    case temperature(Int)
    /// Camera to viewer: percent, 0 to 100.
    case humidity(Int)
    /// Camera to viewer: the stream ends on purpose; the reason is for a person.
    case streamEnded(reason: String)
    /// Camera to viewer: the stream failed; the reason is for a person.
    case streamFailed(reason: String)
    /// Viewer to camera: stay awake, a live view starts.
    case wakeUp(reason: String)
    /// Viewer to camera: the viewer leaves. Closing a connection does not tell the other side by itself.
    case goodbye

    private enum Kind: String, Codable {
        case rssi, temperature, humidity
        case streamEnded = "stream_ended"
        case streamFailed = "stream_failed"
        case wakeUp = "wake_up"
        case goodbye
    }

    private struct Envelope: Codable {
        var type: String
        var value: Int?
        var reason: String?
    }

    /// Reads one message; nil when it is not one of ours.
    public init?(decoding data: Data) {
        guard data.count <= Self.maximumBytes,
            let envelope = try? JSONDecoder().decode(Envelope.self, from: data),
            let kind = Kind(rawValue: envelope.type)
        else { return nil }
        switch (kind, envelope.value) {
        case (.rssi, let value?): self = .rssi(value)
        case (.temperature, let value?): self = .temperature(value)
        case (.humidity, let value?) where (0...100).contains(value): self = .humidity(value)
        case (.streamEnded, _): self = .streamEnded(reason: envelope.reason ?? "")
        case (.streamFailed, _): self = .streamFailed(reason: envelope.reason ?? "")
        case (.wakeUp, _): self = .wakeUp(reason: envelope.reason ?? "")
        case (.goodbye, _): self = .goodbye
        case (.rssi, nil), (.temperature, nil), (.humidity, _): return nil
        }
    }

    /// The bytes to send, as UTF-8 text.
    public func encoded() -> Data {
        let envelope =
            switch self {
            case .rssi(let value): Envelope(type: Kind.rssi.rawValue, value: value)
            case .temperature(let value): Envelope(type: Kind.temperature.rawValue, value: value)
            case .humidity(let value): Envelope(type: Kind.humidity.rawValue, value: value)
            case .streamEnded(let reason): Envelope(type: Kind.streamEnded.rawValue, reason: reason)
            case .streamFailed(let reason): Envelope(type: Kind.streamFailed.rawValue, reason: reason)
            case .wakeUp(let reason): Envelope(type: Kind.wakeUp.rawValue, reason: reason)
            case .goodbye: Envelope(type: Kind.goodbye.rawValue)
            }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(envelope)
        } catch {
            preconditionFailure("an envelope of strings and integers always encodes: \(error)")
        }
    }
}
