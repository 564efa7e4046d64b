import Wire

@testable import CloudServer

/// A store that lets a test look, or fail it, at the moment when a device is marked as connected.
struct ObservedStore: Store {
    let base: any Store
    let beforeMark: @Sendable (DeviceID) async throws(StoreError) -> Void

    func markConnected(_ device: DeviceID, at now: Timestamp) async throws(StoreError) {
        try await beforeMark(device)
        try await base.markConnected(device, at: now)
    }

    func check() async throws(StoreError) { try await base.check() }
    func newestTimestamp() async throws(StoreError) -> Timestamp? { try await base.newestTimestamp() }

    func createSpace(_ space: Space, token: CredentialDigest, at now: Timestamp) async throws(StoreError) {
        try await base.createSpace(space, token: token, at: now)
    }
    func createFirstSpace(_ space: Space, token: CredentialDigest, at now: Timestamp) async throws(StoreError) -> Bool {
        try await base.createFirstSpace(space, token: token, at: now)
    }
    func spaces() async throws(StoreError) -> [Space] { try await base.spaces() }
    func addToken(_ token: CredentialDigest, space: String, at now: Timestamp) async throws(StoreError) -> Bool {
        try await base.addToken(token, space: space, at: now)
    }
    func spaces(openedBy token: CredentialDigest) async throws(StoreError) -> Set<String>? {
        try await base.spaces(openedBy: token)
    }

    func createSession(_ session: PairingSession) async throws(StoreError) { try await base.createSession(session) }
    func session(_ key: CredentialDigest, space: String) async throws(StoreError) -> PairingSession? {
        try await base.session(key, space: space)
    }
    func redeem(
        _ key: CredentialDigest, by device: DeviceIdentity, at now: Timestamp
    ) async throws(StoreError) -> Redemption {
        try await base.redeem(key, by: device, at: now)
    }
    func recordFailure(
        _ failure: PairingFailure, key: CredentialDigest, at now: Timestamp
    ) async throws(StoreError) -> KeyState {
        try await base.recordFailure(failure, key: key, at: now)
    }

    func device(_ id: DeviceID) async throws(StoreError) -> DeviceModel? { try await base.device(id) }
    func devices(space: String) async throws(StoreError) -> [DeviceModel] { try await base.devices(space: space) }
}
