/// What can go wrong in this module, in the cases that a caller can act on.
public enum WebRTCError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A GStreamer element is not installed; `debianPackage` is the Debian package that brings it.
    case missingElement(name: String, debianPackage: String)
    /// A session description or candidate was refused before it could reach the media engine.
    case unacceptableDescription(reason: String)
    /// The call does not fit the state that the connection is in.
    case invalidState(reason: String)
    /// A value in a configuration cannot be used.
    case invalidConfiguration(reason: String)
    /// The media engine refused a step of the negotiation.
    case negotiationFailed(reason: String)
    /// A connection that was set up broke down: the peer has left without closing, or media cannot be passed on.
    case connectionLost(reason: String)
    /// The certificate of the peer is not the one that its description promised: somebody stands in between.
    case wrongFingerprint
    /// A camera or test picture could not be opened, or stopped by itself.
    case captureFailed(source: String, reason: String)
    /// A frame could not be encoded as a picture.
    case encodingFailed(reason: String)
    /// The connection is closed.
    case closed

    /// What happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .missingElement(let name, let package):
            "GStreamer's element \(name) is not installed; install it with: apt-get install \(package)"
        case .unacceptableDescription(let reason):
            "the session description was refused: \(reason); the other side must send a correct one"
        case .invalidState(let reason):
            "the peer connection cannot do this now: \(reason)"
        case .invalidConfiguration(let reason):
            "the configuration cannot be used: \(reason)"
        case .negotiationFailed(let reason):
            "the media engine refused the negotiation: \(reason); close this connection and make a new one"
        case .connectionLost(let reason):
            "the connection to the peer broke down: \(reason); make a new one"
        case .wrongFingerprint:
            "the peer's certificate does not match the fingerprint in its description: the connection was cut, since "
                + "somebody may be listening in"
        case .captureFailed(let source, let reason):
            "\(source) cannot be captured: \(reason); check that it is connected and that no other program uses it"
        case .encodingFailed(let reason):
            "the frame could not be encoded: \(reason)"
        case .closed:
            "the peer connection is closed; make a new one"
        }
    }
}
