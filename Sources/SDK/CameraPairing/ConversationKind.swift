import CoreBluetooth
import Wire

/// The ways of talking to a camera, the best first. Each has a service of its own, so nobody probes.
enum ConversationKind: CaseIterable {
    case standard

    /// The service that stands in the advertisement and in the camera's table.
    var service: CBUUID {
        switch self {
        case .standard: CBUUID(string: PairingService.standardLayout)
        }
    }

    /// The protocol that cameras with this service speak.
    var pairingProtocol: PairingProtocol {
        switch self {
        case .standard: .porchlight
        }
    }

    /// What a scan listens for.
    static var services: [CBUUID] { allCases.map(\.service) }

    /// Makes the conversation; the caller begins it.
    func conversation(_ setting: ConversationSetting) -> any CameraConversation {
        switch self {
        case .standard: StandardConversation(setting)
        }
    }
}
