import Wire

/// Every route of the cloud. What is not in the table is denied.
struct RouteTable: Sendable {
    /// The routes of `docs/cloud-api.yaml`.
    static let interface: [Route] = {
        let space = "{spaceId}"
        let live = PathPattern(CloudRoute.live(space: space, device: "{deviceId}"))
        let liveSession = PathPattern(CloudRoute.liveSession("{liveId}"))
        return [
            Route(endpoint: .health, method: "GET", path: PathPattern(CloudRoute.health), access: .anyone),
            Route(
                endpoint: .createPairingSession, method: "POST",
                path: PathPattern(CloudRoute.pairingSessions(space: space)), access: .personInSpace, body: .json),
            Route(
                endpoint: .pairingSessionStatus, method: "POST",
                path: PathPattern(CloudRoute.pairingSessionStatus(space: space)), access: .personInSpace, body: .json),
            Route(
                endpoint: .devices, method: "GET", path: PathPattern(CloudRoute.devices(space: space)),
                access: .personInSpace),
            Route(
                endpoint: .device, method: "GET",
                path: PathPattern(CloudRoute.device(space: space, device: "{deviceId}")), access: .personInSpace),
            Route(
                endpoint: .startLive, method: "POST", path: live, access: .personInSpace, body: .sdp,
                isCrossOrigin: true),
            Route(endpoint: .describeLive, method: "OPTIONS", path: live, access: .anyone, isCrossOrigin: true),
            Route(endpoint: .endLive, method: "DELETE", path: liveSession, access: .address, isCrossOrigin: true),
            Route(
                endpoint: .describeLiveSession, method: "OPTIONS", path: liveSession, access: .anyone,
                isCrossOrigin: true),
            Route(
                endpoint: .register, method: "POST", path: PathPattern(CloudRoute.registrations), access: .sessionKey,
                body: .json),
            Route(
                endpoint: .reportPairingFailure, method: "POST", path: PathPattern(CloudRoute.pairingFailures),
                access: .sessionKey, body: .json),
            Route(
                endpoint: .cameraSocket, method: "GET", path: PathPattern(CloudRoute.cameraSocket), access: .deviceKey),
        ]
    }()

    /// What a request leads to.
    enum Match: Sendable {
        case route(Route, parameters: [String: String])
        /// The path is there, for other methods.
        case otherMethods([Route])
        case nothing
    }

    private let routes: [Route]

    /// The interface and the pages at `consolePaths`.
    init(consolePaths: [String] = []) {
        routes =
            Self.interface
            + consolePaths.sorted().map { path in
                Route(endpoint: .console, method: "GET", path: PathPattern(path), access: .anyone)
            }
    }

    /// Finds the route. HEAD goes where GET goes.
    func match(method: String, path: String) -> Match {
        let method = method == "HEAD" ? "GET" : method
        var others: [Route] = []
        for route in routes {
            guard let parameters = route.path.match(path) else { continue }
            if route.method == method { return .route(route, parameters: parameters) }
            others.append(route)
        }
        return others.isEmpty ? .nothing : .otherMethods(others)
    }
}
