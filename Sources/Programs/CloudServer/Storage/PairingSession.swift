import Foundation
import Wire

/// A pairing session as it is remembered. Its status is not stored but follows from what has happened.
struct PairingSession: Sendable, Equatable {
    var key: CredentialDigest
    var space: String
    var timezoneSettings: TimezoneSettings
    var sessionType: SessionType
    var createdAt: Timestamp
    var expiresAt: Timestamp
    /// When a camera used the key, and which.
    var redeemed: Redeemed?
    /// When that camera first proved its key on its own connection.
    var pairedAt: Timestamp?
    /// Why the last attempt failed; gone once one succeeds.
    var failure: PairingFailure?

    struct Redeemed: Sendable, Equatable {
        var at: Timestamp
        var by: DeviceID
    }

    /// What a person is told.
    func status(at now: Timestamp) -> PairingSessionStatus {
        let done = PairingStep(status: PairingStep.success)
        if let redeemed {
            let isPaired = pairedAt != nil
            return PairingSessionStatus(
                expired: false, status: isPaired ? .paired : .authenticated, deviceId: redeemed.by.rawValue,
                login: done, pairing: isPaired ? done : PairingStep(status: PairingStep.pending))
        }
        let expired = now >= expiresAt
        guard let failure else { return PairingSessionStatus(expired: expired, status: .initialized) }
        return PairingSessionStatus(
            expired: expired, status: .failed,
            pairing: PairingStep(status: PairingStep.failure, reason: failure.description))
    }

    /// Whether the key can be used.
    func keyState(at now: Timestamp) -> KeyState {
        if redeemed != nil { return .used }
        return now >= expiresAt ? .expired : .valid
    }
}
