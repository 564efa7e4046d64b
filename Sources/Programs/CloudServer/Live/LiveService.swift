import Foundation
import WebSockets
import Wire

/// Live views over HTTP, as WHEP has it (draft-ietf-wish-whep): an offer is posted, the answer comes back with the address
/// of the view. The server does not trickle candidates and does not restart ICE, so a view takes no PATCH.
struct LiveService: Sendable {
    let store: any Store
    let cameras: CameraHub
    let iceServers: [ICEServer]

    static let mediaType = "application/sdp"

    /// Relays an offer to the camera.
    func start(space: String, device: String, offer body: Data) async throws -> HTTPResponse {
        guard let offer = String(validating: body, as: UTF8.self), offer.hasPrefix("v=0") else {
            throw Refusal(.badField, "The body is no session description: one begins with v=0.", field: "sdp")
        }
        guard let id = DeviceID(rawValue: device), let known = try await store.device(id), known.spaceId == space else {
            throw DeviceService.noSuchDevice
        }
        do {
            let answer = try await cameras.openLive(id, offer: offer)
            var headers: HTTPFields = [
                "Content-Type": Self.mediaType, "Location": CloudRoute.liveSession(answer.session),
            ]
            for link in iceServers.flatMap(Self.links) { headers.add("Link", link) }
            return HTTPResponse(status: 201, headers: headers, body: Data(answer.sdp.utf8))
        } catch {
            throw Self.refusal(error)
        }
    }

    /// Ends a view and tells the camera.
    func end(_ session: String) async throws -> HTTPResponse {
        guard await cameras.endLive(session) else {
            throw Refusal(.notFound, "There is no such live view; it has ended.")
        }
        return HTTPResponse(status: 200)
    }

    /// What may be sent here: for WHEP clients and for a browser's preflight.
    static func description(methods: String, acceptsOffers: Bool) -> HTTPResponse {
        var headers: HTTPFields = [
            "Allow": methods, "Access-Control-Allow-Methods": methods,
            "Access-Control-Allow-Headers": "Authorization, Content-Type, If-Match", "Access-Control-Max-Age": "600",
        ]
        if acceptsOffers { headers["Accept-Post"] = mediaType }
        return HTTPResponse(status: 200, headers: headers)
    }

    private static func refusal(_ failure: CameraHub.LiveFailure) -> Refusal {
        switch failure {
        case .offline:
            Refusal(.deviceOffline, "The camera is not connected. Check its power and network, then try again.")
        case .timeout: Refusal(.deviceTimeout, "The camera did not answer in time. Try again.")
        case .refused(let reason): Refusal(.deviceRefused, "The camera cannot show its view: \(reason)")
        case .busy: Refusal(.unavailable, "Too many viewers are connecting to this camera. Try again in a moment.")
        case .cancelled: Refusal(.unavailable, "The request was given up.")
        }
    }

    /// `Link` values as WHEP writes ICE servers.
    private static func links(_ server: ICEServer) -> [String] {
        server.urls.map { url in
            var link = "<\(url)>; rel=\"ice-server\""
            if let username = server.username, let credential = server.credential {
                link +=
                    "; username=\"\(username)\"; credential=\"\(credential.revealed)\"; credential-type=\"password\""
            }
            return link
        }
    }
}
