import CryptoKit

/// Why there is no protected session, or no more.
public enum ProtectedPairingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The hello, the welcome or the kept verifier is not one that a session can be made with.
    case unusable(WireError)
    /// The camera's info does not list the protected layout, though its service is there: somebody is in between, or the
    /// camera is defective.
    case layoutNotListed
    /// The other side's share is not a point of the curve.
    case share
    /// The other side does not know the password, or heard another hello or welcome than was said.
    case wrongPassword
    /// A sealed message is not the next one that the other side sealed.
    case altered
    /// The session has ended: by an error before, or because a direction is worn out.
    case ended
    /// The message is longer than one that can be sealed.
    case tooLong(Int)
    /// The cryptographic library refused, with its own words.
    case library(String)

    init(_ failure: SPAKE2Plus.Failure) {
        switch failure {
        case .share: self = .share
        case .confirmation: self = .wrongPassword
        case .ended: self = .ended
        case .secret, .record, .library: self = .library(failure.description)
        }
    }

    /// What happened and what to do next.
    public var description: String {
        switch self {
        case .unusable(let error): "a protected session cannot be made: \(error)"
        case .layoutNotListed:
            "the camera offers a protected session and its info does not say so; do not pair it here"
        case .share: "the other side's share is not valid; connect again"
        case .wrongPassword:
            "the setup code is not the camera's, or somebody is in between; check the code and try again"
        case .altered: "a message was changed, repeated or lost on the way; connect again"
        case .ended: "the session has ended; say hello again"
        case .tooLong(let count):
            "a message of \(count) bytes cannot be sealed; the most is \(SealedChannel.maximumMessageBytes)"
        case .library(let text): text
        }
    }
}
