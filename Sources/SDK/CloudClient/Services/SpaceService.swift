public import Combine
public import Wire

/// Pairing sessions of a space.
///
/// Each call is there twice: as a cold publisher that makes one request for each subscription, delivers one
/// ``ServiceResult`` on an arbitrary thread and is cancelled with its subscription; and as `async`, which throws what went
/// wrong.
public struct SpaceService: Sendable {
    private let connection: CloudConnection

    init(_ connection: CloudConnection) { self.connection = connection }

    /// Opens a pairing session: its key lets one camera register itself in the space. Source: seed 000, step 6.
    ///
    /// The key's life begins with the answer, so ask just before it is handed to the camera.
    public func createPairingSessionKey(
        spaceId: String, request: PairingSessionKeyRequest
    ) -> AnyPublisher<ServiceResult<PairingSessionKeyModel>, Never> {
        ServicePublisher { () async throws(CloudError) in
            try await createPairingSessionKey(spaceId: spaceId, request: request)
        }.eraseToAnyPublisher()
    }

    /// Opens a pairing session: its key lets one camera register itself in the space. Source: seed 000, step 6.
    ///
    /// The key's life begins with the answer, so ask just before it is handed to the camera.
    public func createPairingSessionKey(
        spaceId: String, request: PairingSessionKeyRequest
    ) async throws(CloudError) -> PairingSessionKeyModel {
        let route = CloudRoute.pairingSessions(space: try CloudCall.segment(spaceId, "spaceId"))
        return try await connection.value(
            PairingSessionKeyModel.self, of: .post(route, request), expecting: [201])
    }

    /// Says why a camera could not use its credentials, in its place: it told by Bluetooth, having no network. The
    /// session then shows it. Beyond the seed.
    public func reportPairingFailure(
        _ failure: PairingFailure, sessionKey: String
    ) async throws(CloudError) {
        _ = try await connection.send(
            .post(CloudRoute.pairingFailures, PairingFailureReport(sessionKey: Secret(sessionKey), failure: failure)),
            expecting: [204])
    }

    /// Asks how far a pairing session has come. Source: seed 000, step 8. The key travels in the body.
    public func getPairingSessionStatus(
        spaceId: String, sessionKey: String
    ) -> AnyPublisher<ServiceResult<PairingSessionStatus>, Never> {
        ServicePublisher { () async throws(CloudError) in
            try await getPairingSessionStatus(spaceId: spaceId, sessionKey: sessionKey)
        }.eraseToAnyPublisher()
    }

    /// Asks how far a pairing session has come. Source: seed 000, step 8. The key travels in the body.
    public func getPairingSessionStatus(
        spaceId: String, sessionKey: String
    ) async throws(CloudError) -> PairingSessionStatus {
        let route = CloudRoute.pairingSessionStatus(space: try CloudCall.segment(spaceId, "spaceId"))
        return try await connection.value(
            PairingSessionStatus.self,
            of: .post(route, PairingSessionStatusRequest(sessionKey: Secret(sessionKey))), expecting: [200])
    }
}
