import Wire

/// Who may call a route. Everything else about a caller is refused before the handler runs.
enum Access: Sendable, Hashable {
    /// Anyone: the answer holds nothing of anybody.
    case anyone
    /// A person: a bearer token that opens the space in the path.
    case personInSpace
    /// Whoever holds the session key that stands in the body; the handler's first act is to look it up.
    case sessionKey
    /// A camera that proves its device key on the socket before anything else is heard.
    case deviceKey
    /// Whoever knows the address: its last part is 256 random bits.
    case address
}

/// What a route does.
enum Endpoint: Sendable, Hashable, CaseIterable {
    case health
    case createPairingSession, pairingSessionStatus
    case devices, device
    case startLive, describeLive
    case endLive, describeLiveSession
    case register, reportPairingFailure
    case cameraSocket
    case console
}

/// One line of the table: a method on a path, who may call it and what it takes.
struct Route: Sendable {
    /// What a body has to be.
    enum Body: Sendable, Hashable {
        case none
        /// `application/json`; may be left unsaid.
        case json
        /// `application/sdp`; has to be said.
        case sdp

        /// The most bytes that are taken; more is 413.
        var limit: Int {
            switch self {
            case .none, .json: 16 << 10
            case .sdp: 128 << 10
            }
        }
    }

    let endpoint: Endpoint
    let method: String
    let path: PathPattern
    let access: Access
    var body = Body.none
    /// Pages of other origins may call it and read the answer: WHEP players bring their own token, no cookie.
    var isCrossOrigin = false
}

/// A path with named gaps, such as `/v1/spaces/{spaceId}/devices`.
struct PathPattern: Sendable, CustomStringConvertible {
    let description: String
    private let segments: [Substring]

    init(_ pattern: String) {
        description = pattern
        segments = Self.split(pattern)
    }

    /// The gaps' values, or nil when the path is another. No gap matches an empty segment.
    func match(_ path: String) -> [String: String]? {
        let given = Self.split(path)
        guard given.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, value) in zip(segments, given) {
            if segment.first == "{", segment.last == "}" {
                guard !value.isEmpty else { return nil }
                values[String(segment.dropFirst().dropLast())] = String(value)
            } else if segment != value {
                return nil
            }
        }
        return values
    }

    private static func split(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }
}
