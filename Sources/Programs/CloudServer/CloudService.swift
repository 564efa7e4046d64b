import Basics
import Foundation
import WebSockets
import Wire

/// The cloud behind its sockets: takes requests, gives responses.
///
/// The order of the checks is the same for every route: the table, who calls, what kind of body, what is in it. Stateless
/// itself; state is in the store and in the hub.
struct CloudService: HTTPService {
    let table: RouteTable
    let gatekeeper: Gatekeeper
    let pairing: PairingService
    let devices: DeviceService
    let live: LiveService
    let cameraSockets: CameraSocketService
    let pages: ConsolePages
    let store: any Store

    /// The largest body of any route; the server refuses more before it has read it.
    static let largestBody = Route.Body.sdp.limit
    /// The largest message on a camera's socket: an answer, and room for the JSON around it and its escapes.
    static let largestMessage = 2 * CameraHub.longestAnswer

    private static let log = Log("cloud.http")

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        var response: HTTPResponse
        var isCrossOrigin = false
        do {
            switch table.match(method: request.method, path: request.path) {
            case .route(let route, let parameters):
                isCrossOrigin = route.isCrossOrigin
                response = try await answer(request, route: route, parameters: parameters)
            case .otherMethods(let routes):
                isCrossOrigin = routes.contains { $0.isCrossOrigin }
                throw Self.otherMethod(than: routes)
            case .nothing: throw Refusal(.notFound, "There is nothing at this path.")
            }
        } catch {
            response = HTTPResponse(Self.refusal(error))
        }
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
        if isCrossOrigin {
            response.headers["Access-Control-Allow-Origin"] = "*"
            response.headers["Access-Control-Expose-Headers"] = "Location, Link, Retry-After"
        }
        return response
    }

    func refuseUpgrade(of request: HTTPRequest) -> HTTPResponse? {
        guard case .route(let route, _) = table.match(method: request.method, path: request.path),
            route.endpoint == .cameraSocket
        else {
            var response = HTTPResponse(Refusal(.notFound, "There is no WebSocket at this path."))
            response.headers["Cache-Control"] = "no-store"
            return response
        }
        return nil
    }

    func serve(_ socket: WebSocket, request: HTTPRequest) async {
        let texts = socket.messages.map { message in
            switch message {
            case .text(let text): text
            // Not one of the protocol's; decodes as nothing and is refused as such.
            case .binary: ""
            }
        }
        await cameraSockets.serve(WebSocketCameraLink(socket: socket), messages: texts)
    }

    private func answer(
        _ request: HTTPRequest, route: Route, parameters: [String: String]
    ) async throws -> HTTPResponse {
        func parameter(_ name: String) throws -> String {
            guard let value = parameters[name] else {
                throw StoreError.fault(reason: "the route \(route.path) has no \(name)")
            }
            return value
        }
        if route.access == .personInSpace { try await gatekeeper.admit(request, to: try parameter("spaceId")) }
        try Self.checkBody(of: request, route: route)
        switch route.endpoint {
        case .health:
            try await store.check()
            return .json(200, ["status": "ok"])
        case .createPairingSession:
            let body = try RequestBody.decode(PairingSessionKeyRequest.self, from: request.body)
            return .json(201, try await pairing.createSession(body, space: try parameter("spaceId")))
        case .pairingSessionStatus:
            let body = try RequestBody.decode(PairingSessionStatusRequest.self, from: request.body)
            return .json(200, try await pairing.status(body, space: try parameter("spaceId")))
        case .devices:
            return .json(200, try await devices.devices(space: try parameter("spaceId")))
        case .device:
            return .json(200, try await devices.device(try parameter("deviceId"), space: try parameter("spaceId")))
        case .startLive:
            return try await live.start(
                space: try parameter("spaceId"), device: try parameter("deviceId"), offer: request.body)
        case .describeLive: return LiveService.description(methods: "OPTIONS, POST", acceptsOffers: true)
        case .endLive: return try await live.end(try parameter("liveId"))
        case .describeLiveSession: return LiveService.description(methods: "DELETE, OPTIONS", acceptsOffers: false)
        case .register:
            let body = try RequestBody.decode(DeviceRegistration.self, from: request.body)
            return .json(201, try await pairing.register(body))
        case .reportPairingFailure:
            try await pairing.report(try RequestBody.decode(PairingFailureReport.self, from: request.body))
            return HTTPResponse(status: 204)
        case .cameraSocket:
            throw Refusal(.upgradeRequired, "This path is a WebSocket. Ask for an upgrade.")
        case .console:
            guard let response = pages.response(path: request.path) else {
                throw Refusal(.notFound, "There is nothing at this path.")
            }
            return response
        }
    }

    private static func checkBody(of request: HTTPRequest, route: Route) throws(Refusal) {
        guard request.body.count <= route.body.limit else {
            throw Refusal(
                .bodyTooLarge, "The body is larger than \(route.body.limit) bytes, which is the most here.",
                field: "body")
        }
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
            .lowercased()
        let (expected, isOptional) =
            switch route.body {
            case .none: (nil as String?, true)
            case .json: ("application/json", true)
            case .sdp: (LiveService.mediaType, false)
            }
        guard let expected, !(isOptional && type == nil), type != expected else { return }
        throw Refusal(.unsupportedMediaType, "The body must be \(expected); say so in Content-Type.")
    }

    private static func otherMethod(than routes: [Route]) -> Refusal {
        let methods = Set(routes.flatMap { $0.method == "GET" ? ["GET", "HEAD"] : [$0.method] }).sorted()
        let allowed = methods.joined(separator: ", ")
        var refusal = Refusal(.methodNotAllowed, "This path takes \(allowed).")
        refusal.headers["Allow"] = allowed
        return refusal
    }

    private static func refusal(_ error: any Error) -> Refusal {
        switch error {
        case let refusal as Refusal: return refusal
        case let error as StoreError:
            log.error("storage: \(error)")
            return Refusal(error)
        default:
            log.error("a request failed: \(error)")
            return Refusal(.internalFault, "The server failed. Its log says why; tell whoever runs it.")
        }
    }
}
