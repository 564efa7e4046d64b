import Foundation
import WebSockets

/// A service whose three decisions are given by a test.
struct TestService: HTTPService {
    var respond: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
        HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: request.body)
    }
    var refuse: @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil }
    var serve: @Sendable (WebSocket, HTTPRequest) async -> Void = { socket, _ in
        do {
            for try await message in socket.messages { try socket.send(message) }
        } catch {}
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse { await respond(request) }
    func refuseUpgrade(of request: HTTPRequest) -> HTTPResponse? { refuse(request) }
    func serve(_ socket: WebSocket, request: HTTPRequest) async { await serve(socket, request) }
}

/// A value that a test waits for.
final class Signal<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send(_ value: Value) { continuation.yield(value) }

    func next() async throws -> Value {
        for await value in stream { return value }
        throw CancellationError()
    }
}

extension HTTPServer {
    func webSocketURL(_ path: String = "/") -> URL { URL(string: "ws://\(host):\(port)\(path)")! }
}

/// All messages until the end.
func collect(_ socket: WebSocket) async throws -> [WebSocket.Message] {
    var messages: [WebSocket.Message] = []
    for try await message in socket.messages { messages.append(message) }
    return messages
}

/// The next message; nil at the end.
func nextMessage(_ socket: WebSocket) async throws -> WebSocket.Message? {
    for try await message in socket.messages { return message }
    return nil
}
