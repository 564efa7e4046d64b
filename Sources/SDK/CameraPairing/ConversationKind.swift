import CoreBluetooth
import Wire

/// The ways of talking to a camera, the best first. Each has a service of its own, so nobody probes.
enum ConversationKind: CaseIterable, Sendable {
    case protected
    case chunked
    case standard
    case improv

    /// Our layout; nil for a protocol that is not ours.
    var layout: PairingLayout? {
        switch self {
        case .protected: .protected
        case .chunked: .chunked
        case .standard: .standard
        case .improv: nil
        }
    }

    /// The service that stands in the advertisement and in the camera's table.
    var service: CBUUID {
        switch self {
        case .protected: CBUUID(string: PairingLayout.protected.service)
        case .chunked: CBUUID(string: PairingLayout.chunked.service)
        case .standard: CBUUID(string: PairingLayout.standard.service)
        case .improv: CBUUID(string: ImprovService.service)
        }
    }

    /// The protocol that cameras with this service speak.
    var pairingProtocol: PairingProtocol {
        switch self {
        case .protected, .chunked, .standard: .porchlight
        case .improv: .improv
        }
    }

    /// Whether the link stays after the credentials, so that the camera can tell how it fares.
    var keepsLink: Bool {
        switch self {
        case .protected, .chunked, .improv: true
        case .standard: false
        }
    }

    /// What a scan listens for.
    static var services: [CBUUID] { allCases.map(\.service) }

    /// Makes the conversation; the caller begins it.
    func conversation(_ setting: ConversationSetting) -> any CameraConversation {
        switch self {
        case .protected, .chunked: ExchangeConversation(setting, self)
        case .standard: StandardConversation(setting)
        case .improv: ImprovConversation(setting)
        }
    }
}
