/// Where a person's data lives. Source: seed 001, 'The QR payload'.
public enum ServerRegion: String, Sendable, Hashable, Codable, CaseIterable {
    /// The Americas.
    case us
    /// Asia and the Pacific.
    case apac

    /// The code that stands for the region in a QR payload.
    public var code: String {
        switch self {
        case .us: "1"
        case .apac: "3"
        }
    }

    /// Reads the name (`us`), as Bluetooth carries it, or the code (`1`), as a QR code does.
    public init?(nameOrCode text: String) {
        guard let region = Self.allCases.first(where: { $0.rawValue == text || $0.code == text }) else { return nil }
        self = region
    }
}
