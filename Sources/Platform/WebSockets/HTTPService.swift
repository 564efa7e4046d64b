/// What a program gives to ``HTTPServer/start(_:service:)``.
public protocol HTTPService: Sendable {
    /// Answers a complete request. Called once for each, in a task of its own, concurrently for different connections
    /// and in order for one. The task is cancelled when the client goes away or the server stops.
    func respond(to request: HTTPRequest) async -> HTTPResponse
    /// Decides whether a request may become a WebSocket. Runs on the service thread, where everything else waits: keep it
    /// short and do not block.
    /// - Returns: nil to accept, or the response that refuses it (404, 401…).
    func refuseUpgrade(of request: HTTPRequest) -> HTTPResponse?
    /// Lives with an accepted WebSocket, in a task of its own. When it returns, the socket is closed normally. When the
    /// socket closes first, ``WebSocket/messages`` ends and the task is left to finish; it is cancelled when the server
    /// stops.
    func serve(_ socket: WebSocket, request: HTTPRequest) async
}

extension HTTPService {
    /// By default no WebSocket is accepted.
    public func refuseUpgrade(of request: HTTPRequest) -> HTTPResponse? {
        .failure(404, code: "notFound", message: "there is no WebSocket here")
    }

    /// By default there is nothing to do.
    public func serve(_ socket: WebSocket, request: HTTPRequest) async {}
}
