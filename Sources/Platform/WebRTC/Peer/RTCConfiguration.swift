/// A STUN or TURN server.
public final class RTCIceServer: Sendable, CustomStringConvertible, CustomReflectable {
    /// `stun:host[:port]`, `turn:host[:port][?transport=udp|tcp]` or `turns:host[:port]` (RFC 7064, 7065).
    public let urlStrings: [String]
    /// The name at a TURN server.
    public let username: String?
    /// The password at a TURN server. In no description.
    public let credential: String?

    /// A server that asks for nothing, or for a name and a password.
    public init(urlStrings: [String], username: String? = nil, credential: String? = nil) {
        self.urlStrings = urlStrings
        self.username = username
        self.credential = credential
    }

    /// The addresses, without the credential.
    public var description: String { urlStrings.joined(separator: ", ") }
    /// Hides the credential from dumps.
    public var customMirror: Mirror { Mirror(self, children: ["urlStrings": urlStrings]) }
}

/// Which candidates may be used (RFC 8829, chapter 3.5.3).
public enum RTCIceTransportPolicy: Int, Sendable {
    /// None.
    case none
    /// Only relayed ones.
    case relay
    /// All but host candidates; treated as ``all``, since the media engine cannot tell them apart.
    case noHost
    /// All.
    case all
}

/// How a peer connection is to be made.
///
/// A class, as its model is: fill it in, then hand it over; a connection does not look at it again after it was made.
/// The transport of all media is bundled and multiplexed with RTCP always: there are no policies for it.
public final class RTCConfiguration {
    /// The servers that help through address translation. Empty on one network.
    public var iceServers: [RTCIceServer] = []
    /// Which candidates may be used.
    public var iceTransportPolicy = RTCIceTransportPolicy.all
    /// How long received packets wait for missing ones, in milliseconds, 0 to 1000. Delays every frame by as much.
    public var jitterBufferMilliseconds = 50

    /// The defaults: no servers, all candidates, 50 ms.
    public init() {}
}

/// Constraints of an offer, an answer or a connection. Carried for the sake of the signatures; none is needed here.
public final class RTCMediaConstraints: Sendable {
    /// What must hold.
    public let mandatoryConstraints: [String: String]?
    /// What should hold.
    public let optionalConstraints: [String: String]?

    /// Holds constraints.
    public init(mandatoryConstraints: [String: String]?, optionalConstraints: [String: String]?) {
        self.mandatoryConstraints = mandatoryConstraints
        self.optionalConstraints = optionalConstraints
    }
}
