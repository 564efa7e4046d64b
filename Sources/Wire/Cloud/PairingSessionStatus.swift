/// How far a pairing session has come: the answer to ``PairingSessionStatusRequest``.
public struct PairingSessionStatus: Sendable, Hashable, Codable {
    /// The key's life ended before a camera used it.
    public var expired: Bool
    /// A ``DeviceAuthStatus`` by its raw value.
    public var status: String
    /// The camera's id once it has registered, else empty.
    public var deviceId: String
    /// The camera reaching the cloud; nil until it has tried.
    public var login: PairingStep?
    /// The camera being attached to the space; nil until it has been tried.
    public var pairing: PairingStep?

    /// Describes a session.
    public init(
        expired: Bool, status: DeviceAuthStatus, deviceId: String = "", login: PairingStep? = nil,
        pairing: PairingStep? = nil
    ) {
        self.expired = expired
        self.status = status.rawValue
        self.deviceId = deviceId
        self.login = login
        self.pairing = pairing
    }
}

/// One step of a pairing session.
public struct PairingStep: Sendable, Hashable, Codable {
    /// The value of ``status`` when the step is done.
    public static let success = "Success"
    /// The value of ``status`` when the step failed for good.
    public static let failure = "Failure"
    /// The value of ``status`` while the step goes on.
    public static let pending = "Pending"

    /// `Pending`, `Success` or `Failure`.
    public var status: String
    /// On failure, what to tell the person; else empty.
    public var reason: String

    /// Describes a step.
    public init(status: String, reason: String = "") {
        self.status = status
        self.reason = reason
    }
}

/// The body of `POST /v1/spaces/{spaceId}/pairing-sessions/status`.
///
/// A POST, because the key must stand in no URL.
public struct PairingSessionStatusRequest: Sendable, Hashable, Codable {
    /// The key whose session is asked about.
    public var sessionKey: Secret

    /// Asks about a session.
    public init(sessionKey: Secret) { self.sessionKey = sessionKey }
}
