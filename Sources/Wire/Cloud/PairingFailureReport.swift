/// A camera that could not use its credentials, and can reach the cloud some other way (by wire, or by the network it
/// was on before), says why: the body of `POST /v1/pairing-failures`, answered with 204.
///
/// The session is failed with the reason; the key is not used up, and can be tried again until it expires.
public struct PairingFailureReport: Sendable, Hashable, Codable {
    /// The key of the session that failed.
    public var sessionKey: Secret
    /// Why.
    public var failure: PairingFailure

    /// Describes a report.
    public init(sessionKey: Secret, failure: PairingFailure) {
        self.sessionKey = sessionKey
        self.failure = failure
    }
}
