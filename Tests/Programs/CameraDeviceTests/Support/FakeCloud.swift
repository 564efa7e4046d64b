import Basics
import Foundation
import WebSockets
import Wire

/// Plays the cloud on a real server: each test says what is answered.
final class FakeCloud: HTTPService {
    typealias Respond = @Sendable (_ request: HTTPRequest, _ number: Int) async -> HTTPResponse
    typealias Converse = @Sendable (_ socket: FakeCameraLink, _ number: Int) async throws -> Void

    private let respond: Respond
    private let converse: Converse
    private let received = Locked<[HTTPRequest]>([])
    private let links = Locked(0)
    /// Each request as it arrives.
    let arrivals: AsyncStream<HTTPRequest>
    private let arrived: AsyncStream<HTTPRequest>.Continuation
    private let server = Locked<HTTPServer?>(nil)

    private init(respond: @escaping Respond, converse: @escaping Converse) {
        self.respond = respond
        self.converse = converse
        (arrivals, arrived) = AsyncStream.makeStream()
    }

    /// Starts a cloud.
    /// - Parameters:
    ///   - respond: Answers the nth request, counted from 0.
    ///   - converse: Lives with the nth camera socket, counted from 0.
    static func start(
        respond: @escaping Respond = { _, _ in HTTPResponse(status: 404) }, converse: @escaping Converse = { _, _ in }
    ) async throws -> FakeCloud {
        let cloud = FakeCloud(respond: respond, converse: converse)
        let server = try await HTTPServer.start(service: cloud)
        cloud.server.withLock { $0 = server }
        return cloud
    }

    /// Stops the cloud.
    func stop() async { await server.withLock { $0 }?.stop() }

    /// The base address.
    var url: URL {
        let port = server.withLock { $0?.port } ?? 0
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { fatalError("no address for port \(port)") }
        return url
    }

    /// The requests so far.
    var requests: [HTTPRequest] { received.withLock { $0 } }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let number = received.withLock { received in
            received.append(request)
            return received.count - 1
        }
        arrived.yield(request)
        return await respond(request, number)
    }

    func refuseUpgrade(of request: HTTPRequest) -> HTTPResponse? {
        request.path == CloudRoute.cameraSocket ? nil : HTTPResponse(status: 404)
    }

    func serve(_ socket: WebSocket, request: HTTPRequest) async {
        let number = links.withLock { links in
            links += 1
            return links - 1
        }
        try? await converse(FakeCameraLink(socket), number)
    }

    /// A response with a JSON body.
    static func json(_ status: Int, _ body: some Encodable) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json"],
            body: (try? JSONEncoder().encode(body)) ?? Data())
    }

    /// A response with an error of the contract.
    static func error(_ status: Int, _ code: APIError.Code) -> HTTPResponse {
        json(status, APIError(code: code, message: "no"))
    }
}

/// The cloud's side of a camera socket.
final class FakeCameraLink: Sendable {
    struct Ended: Error {}

    private let socket: WebSocket

    init(_ socket: WebSocket) { self.socket = socket }

    /// The camera's next message.
    func next() async throws -> CameraSocketMessage {
        for try await message in socket.messages {
            guard case .text(let text) = message else { throw Ended() }
            return try JSONDecoder().decode(CameraSocketMessage.self, from: Data(text.utf8))
        }
        throw Ended()
    }

    /// Waits until the camera has closed.
    func drain() async {
        while (try? await next()) != nil {}
    }

    func send(_ message: CloudSocketMessage) throws {
        try socket.send(.text(String(decoding: JSONEncoder().encode(message), as: UTF8.self)))
    }

    func send(text: String) throws { try socket.send(.text(text)) }

    func close(code: Int = 1000) { socket.close(code: code) }

    /// Lets the camera in.
    func welcome() async throws {
        _ = try await next()
        try send(.challenge(nonce: Data([1, 2, 3])))
        _ = try await next()
        try send(.welcome(keepAlive: 55))
    }
}
