/// Which deployment of the cloud is meant. Source: seed 001, 'The QR payload'.
public enum ServerEnvironment: String, Sendable, Hashable, Codable, CaseIterable {
    /// The cloud that people use.
    case production
    /// The rehearsal of the next release.
    case staging
    /// A developer's own.
    case dev

    /// The code that stands for the environment in a QR payload.
    public var code: String {
        switch self {
        case .production: "1"
        case .staging: "2"
        case .dev: "3"
        }
    }

    /// Reads the name (`production`), as Bluetooth carries it, or the code (`1`), as a QR code does.
    public init?(nameOrCode text: String) {
        guard let environment = Self.allCases.first(where: { $0.rawValue == text || $0.code == text }) else {
            return nil
        }
        self = environment
    }
}
