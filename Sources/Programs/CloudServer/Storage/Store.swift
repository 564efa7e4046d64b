import Foundation
import Wire

/// What the cloud remembers, as operations of the domain: each is atomic, and what it has confirmed survives a crash.
///
/// Secrets come in as digests. The rule of an operation (a key is used once, a device belongs to one space) holds inside
/// the store, for several callers and for several servers on one database.
protocol Store: Sendable {
    /// Throws when the store cannot answer.
    func check() async throws(StoreError)
    /// The newest time of any session; nil when there is none.
    func newestTimestamp() async throws(StoreError) -> Timestamp?

    /// Adds a space together with its first token.
    func createSpace(_ space: Space, token: CredentialDigest, at now: Timestamp) async throws(StoreError)
    /// The same, unless there is a space already; true when it was made.
    func createFirstSpace(_ space: Space, token: CredentialDigest, at now: Timestamp) async throws(StoreError) -> Bool
    /// All spaces, oldest first.
    func spaces() async throws(StoreError) -> [Space]
    /// Adds a token for a space; false when there is no such space.
    func addToken(_ token: CredentialDigest, space: String, at now: Timestamp) async throws(StoreError) -> Bool
    /// The spaces in which a token may act; nil for a token that is not known.
    func spaces(openedBy token: CredentialDigest) async throws(StoreError) -> Set<String>?

    /// Adds a session, and forgets those that ended more than a day ago.
    func createSession(_ session: PairingSession) async throws(StoreError)
    /// A session by its key, if it is of this space.
    func session(_ key: CredentialDigest, space: String) async throws(StoreError) -> PairingSession?
    /// Uses a key up and attaches the device, or does neither and says why.
    ///
    /// A device that another space has leaves that failure on the session.
    func redeem(
        _ key: CredentialDigest, by device: DeviceIdentity, at now: Timestamp
    ) async throws(StoreError) -> Redemption
    /// Notes on a session why its camera failed; the key can still be used.
    func recordFailure(
        _ failure: PairingFailure, key: CredentialDigest, at now: Timestamp
    ) async throws(StoreError) -> KeyState
    /// The device has proved its key on its own connection: it is paired, and so is the session that it used.
    func markConnected(_ device: DeviceID, at now: Timestamp) async throws(StoreError)

    /// A device wherever it is; ``DeviceModel/online`` is false, which the store knows nothing of.
    func device(_ id: DeviceID) async throws(StoreError) -> DeviceModel?
    /// The devices of a space, by id; see ``device(_:)``.
    func devices(space: String) async throws(StoreError) -> [DeviceModel]
}

/// A camera that has proved that it holds the private half of its key.
struct DeviceIdentity: Sendable, Hashable {
    var id: DeviceID
    var publicKey: Data
    var model: String
}

/// Where a session key stands.
enum KeyState: Sendable, Hashable {
    case valid
    case unknown
    case used
    case expired
}

/// What came of using a session key.
enum Redemption: Sendable, Hashable {
    case registered(DeviceRegistrationReceipt)
    /// This very device has used this key before, within its life, and most likely lost the answer: nothing is changed.
    case repeated(DeviceRegistrationReceipt)
    /// The key cannot be used. Never ``KeyState/valid``.
    case refused(KeyState)
    /// The session is for another camera.
    case otherDevice
    /// Another space has the device, or another key has its id.
    case claimed
}

/// Why a store did not do what it was asked.
enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It cannot now: the disk is full or failing, another process holds the lock.
    case unavailable(reason: String)
    /// The data or the program is at fault.
    case fault(reason: String)

    var description: String {
        switch self {
        case .unavailable(let reason), .fault(let reason): reason
        }
    }
}
