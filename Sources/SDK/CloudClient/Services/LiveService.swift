import Foundation
import Wire

/// Offers and answers of live views, as WHEP has them (WebRTC-HTTP Egress Protocol, an IETF draft).
///
/// For those who bring their own peer connection; `LiveView` calls this for its users.
public struct LiveService: Sendable {
    private let connection: CloudConnection

    init(_ connection: CloudConnection) { self.connection = connection }

    /// Hands an offer to a camera and returns its answer.
    ///
    /// - Parameter sdp: The offer with all its candidates: there is no trickle.
    /// - Throws: ``CloudError/api(_:status:retryAfter:)`` with `deviceOffline`, `deviceTimeout` or `deviceRefused` when the
    ///   cloud is there and the camera is not.
    public func offer(spaceId: String, deviceId: String, sdp: String) async throws(CloudError) -> LiveAnswer {
        let route = CloudRoute.live(
            space: try CloudCall.segment(spaceId, "spaceId"), device: try CloudCall.segment(deviceId, "deviceId"))
        let answer = try await connection.send(
            CloudCall(
                method: "POST", target: .route(route), accept: "application/sdp", contentType: "application/sdp",
                body: Data(sdp.utf8)),
            expecting: [201])
        return try LiveAnswer(answer)
    }

    /// Ends a live session. One that is gone already is no error.
    public func end(_ answer: LiveAnswer) async throws(CloudError) {
        _ = try await connection.send(
            CloudCall(method: "DELETE", target: .address(answer.session)), expecting: [200, 202, 204, 404, 410])
    }
}
