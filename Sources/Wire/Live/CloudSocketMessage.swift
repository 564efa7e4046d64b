public import Foundation

/// What the cloud says on a camera's socket.
///
/// JSON, one object a message, `type` names the case: see `docs/live-protocol.md`.
public enum CloudSocketMessage: Sendable, Hashable {
    /// Answers hello: sign these bytes.
    case challenge(nonce: Data)
    /// The proof was right; the camera is online. It pings when it has heard nothing for the interval, in seconds.
    case welcome(keepAlive: Int)
    /// The camera is not let in; the socket closes. Sent before or after the proof.
    case refused(APIError)
    /// A viewer's offer: answer within the deadline, in milliseconds from receipt, with the same id.
    case offer(id: String, session: String, sdp: String, iceServers: [ICEServer], deadline: Int)
    /// The viewer of this session has gone.
    case endSession(session: String)
    /// The server is about to stop; connect again after this many milliseconds.
    case goAway(retryAfter: Int)
}

/// A STUN or TURN server for one live session.
public struct ICEServer: Sendable, Hashable, Codable {
    /// `stun:` and `turn:` addresses.
    public var urls: [String]
    /// For TURN.
    public var username: String?
    /// For TURN.
    public var credential: Secret?

    /// Describes a server.
    public init(urls: [String], username: String? = nil, credential: Secret? = nil) {
        self.urls = urls
        self.username = username
        self.credential = credential
    }
}

extension CloudSocketMessage: Codable {
    private enum Kind: String, Codable { case challenge, welcome, refused, offer, endSession, goAway }
    private enum CodingKeys: String, CodingKey {
        case type, nonce, keepAlive, refusal, id, session, sdp, iceServers, deadline, retryAfter
    }

    /// Reads one message.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .type) {
        case .challenge: self = .challenge(nonce: try container.decode(Data.self, forKey: .nonce))
        case .welcome: self = .welcome(keepAlive: try container.decode(Int.self, forKey: .keepAlive))
        case .refused: self = .refused(try container.decode(APIError.self, forKey: .refusal))
        case .offer:
            self = .offer(
                id: try container.decode(String.self, forKey: .id),
                session: try container.decode(String.self, forKey: .session),
                sdp: try container.decode(String.self, forKey: .sdp),
                iceServers: try container.decode([ICEServer].self, forKey: .iceServers),
                deadline: try container.decode(Int.self, forKey: .deadline))
        case .endSession: self = .endSession(session: try container.decode(String.self, forKey: .session))
        case .goAway: self = .goAway(retryAfter: try container.decode(Int.self, forKey: .retryAfter))
        }
    }

    /// Writes one message.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .challenge(let nonce):
            try container.encode(Kind.challenge, forKey: .type)
            try container.encode(nonce, forKey: .nonce)
        case .welcome(let keepAlive):
            try container.encode(Kind.welcome, forKey: .type)
            try container.encode(keepAlive, forKey: .keepAlive)
        case .refused(let error):
            try container.encode(Kind.refused, forKey: .type)
            try container.encode(error, forKey: .refusal)
        case .offer(let id, let session, let sdp, let iceServers, let deadline):
            try container.encode(Kind.offer, forKey: .type)
            try container.encode(id, forKey: .id)
            try container.encode(session, forKey: .session)
            try container.encode(sdp, forKey: .sdp)
            try container.encode(iceServers, forKey: .iceServers)
            try container.encode(deadline, forKey: .deadline)
        case .endSession(let session):
            try container.encode(Kind.endSession, forKey: .type)
            try container.encode(session, forKey: .session)
        case .goAway(let retryAfter):
            try container.encode(Kind.goAway, forKey: .type)
            try container.encode(retryAfter, forKey: .retryAfter)
        }
    }
}
