import Foundation

/// The states. The guide draws them, and a test runs every event in each of them and compares.
extension PairingFlow {
    /// Where the search for cameras stands.
    enum Search: Hashable {
        case idle
        /// A scan was asked for; Bluetooth is not on.
        case waitingForPower
        case scanning
        /// For the word of the camera that has taken credentials.
        case watching(UUID)
    }

    /// Where the link to one camera stands.
    enum Link: Hashable {
        case none
        case connecting(UUID)
        /// It takes commands.
        case ready(UUID, ConversationKind)
        /// The credentials are on their way.
        case writing(UUID, ConversationKind)
        /// It has the credentials, and its word on the outcome is waited for.
        case joining(UUID, ConversationKind)
        /// It has said that it is on the network.
        case joined(UUID)
        /// Given up from this side; the central still has to say that it is gone.
        case closing(UUID)
        /// As `closing`, with another attempt to follow.
        case switching(UUID, to: UUID)

        /// The camera at the other end.
        var camera: UUID? {
            switch self {
            case .none: nil
            case .connecting(let camera), .ready(let camera, _), .writing(let camera, _), .joining(let camera, _),
                .joined(let camera), .closing(let camera), .switching(let camera, _):
                camera
            }
        }

        /// Whether the camera is there to be talked to.
        var isOpen: Bool {
            switch self {
            case .ready, .writing, .joining, .joined: true
            case .none, .connecting, .closing, .switching: false
            }
        }

        /// Whether this side has given the link up.
        var isClosing: Bool {
            switch self {
            case .closing, .switching: true
            default: false
            }
        }
    }
}
