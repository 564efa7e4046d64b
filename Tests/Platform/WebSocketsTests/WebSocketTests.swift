import Foundation
import TestSupport
import Testing

@testable import WebSockets

@Suite("WebSocket, both sides")
struct WebSocketTests {
    private func withServer(
        _ configuration: HTTPServer.Configuration = .init(), service: TestService = TestService(),
        _ body: @Sendable (HTTPServer) async throws -> Void
    ) async throws {
        let server = try await HTTPServer.start(configuration, service: service)
        do { try await body(server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test func textAndBinaryComeBack() async throws {
        try await withServer { server in
            let socket = try await WebSocket.connect(to: server.webSocketURL())
            let messages: [WebSocket.Message] = [
                .text("grüße"), .binary(Data([0, 255, 1])), .text(""), .binary(Data()),
                .binary(Data(repeating: 9, count: 70_000)),
            ]
            for message in messages { try socket.send(message) }
            for message in messages { #expect(try await within { try await nextMessage(socket) } == message) }
            socket.close()
            #expect(try await within { try await collect(socket) }.isEmpty)
        }
    }

    @Test func aMegabyteAndOrderUnderLoad() async throws {
        try await withServer(.init(maximumQueuedBytes: 64 << 20)) { server in
            var configuration = ClientConfiguration()
            configuration.maximumQueuedBytes = 64 << 20
            let socket = try await WebSocket.connect(to: server.webSocketURL(), configuration: configuration)
            let large = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try socket.send(.binary(large))
            for number in 0..<2000 { try socket.send(.text("\(number)")) }
            let first = try await within { try await nextMessage(socket) }
            let isSame = first == .binary(large)
            #expect(isSame)
            let rest = try await within {
                var rest: [WebSocket.Message] = []
                while rest.count < 2000, let message = try await nextMessage(socket) { rest.append(message) }
                return rest
            }
            #expect(rest == (0..<2000).map { .text("\($0)") })
        }
    }

    @Test func theServiceSeesTheRequestAndMayRefuse() async throws {
        let seen = Signal<HTTPRequest>()
        let service = TestService(
            refuse: { request in
                request.headers["Authorization"] == "Bearer t" ? nil : HTTPResponse(status: 401)
            },
            serve: { _, request in seen.send(request) })
        try await withServer(service: service) { server in
            await #expect(throws: WebSocketsError.refused(status: 401)) {
                _ = try await WebSocket.connect(to: server.webSocketURL("/camera%201?a=b"))
            }
            let socket = try await WebSocket.connect(
                to: server.webSocketURL("/camera%201?a=b"), headers: ["Authorization": "Bearer t"])
            let request = try await within { try await seen.next() }
            #expect(request.path == "/camera 1")
            #expect(request.query == ["a": "b"])
            // serve has returned, so the socket closes normally.
            #expect(try await within { try await collect(socket) }.isEmpty)
        }
    }

    @Test func closeCodesReachTheOtherSide() async throws {
        let outcome = Signal<WebSocketsError?>()
        let service = TestService(serve: { socket, request in
            if request.path == "/server" { return socket.close(code: 4001, reason: "moved") }
            do {
                _ = try await collect(socket)
                outcome.send(nil)
            } catch {
                outcome.send(error as? WebSocketsError)
            }
        })
        try await withServer(service: service) { server in
            let first = try await WebSocket.connect(to: server.webSocketURL("/server"))
            await #expect(throws: WebSocketsError.closed(code: 4001, reason: "moved")) {
                try await within { _ = try await collect(first) }
            }
            #expect(throws: WebSocketsError.closed(code: 4001, reason: "moved")) { try first.send(.text("x")) }
            let second = try await WebSocket.connect(to: server.webSocketURL("/client"))
            second.close(code: 3000, reason: "bye")
            #expect(try await within { try await collect(second) }.isEmpty)
            #expect(try await within { try await outcome.next() } == .closed(code: 3000, reason: "bye"))
            let third = try await WebSocket.connect(to: server.webSocketURL("/client"))
            third.close()
            #expect(try await within { try await outcome.next() } == nil)
        }
    }

    @Test func messagesBeforeACloseArrive() async throws {
        let service = TestService(serve: { socket, _ in
            for number in 0..<100 { try? socket.send(.text("\(number)")) }
        })
        try await withServer(service: service) { server in
            let socket = try await WebSocket.connect(to: server.webSocketURL())
            #expect(try await within { try await collect(socket) }.count == 100)
        }
    }

    @Test func anOversizedMessageEndsTheSocket() async throws {
        try await withServer(.init(maximumMessageBytes: 1000)) { server in
            let socket = try await WebSocket.connect(to: server.webSocketURL())
            try socket.send(.binary(Data(count: 1001)))
            await #expect(throws: WebSocketsError.closed(code: 1009, reason: "the message is over 1000 bytes")) {
                try await within { _ = try await collect(socket) }
            }
        }
    }

    @Test func aSlowReaderIsDroppedAtTheCap() async throws {
        let outcome = Signal<WebSocketsError?>()
        let service = TestService(serve: { socket, _ in
            _ = try? await nextMessage(socket)
            do {
                while true {
                    try socket.send(.binary(Data(count: 64 << 10)))
                    await Task.yield()
                }
            } catch {
                outcome.send(error as? WebSocketsError)
            }
        })
        try await withServer(.init(maximumQueuedBytes: 1 << 20), service: service) { server in
            let client = try await RawClient.openWebSocket(server.port)
            try await client.send(frame(0x81, "go"))
            #expect(try await within { try await outcome.next() } == .slowReader)
            // The connection is gone: reading comes to an end.
            try await within { while try await !client.receive().isEmpty {} }
        }
    }

    @Test func aMessageOverTheWholeQueueIsRefusedAlone() async throws {
        try await withServer { server in
            var configuration = ClientConfiguration()
            configuration.maximumQueuedBytes = 1000
            let socket = try await WebSocket.connect(to: server.webSocketURL(), configuration: configuration)
            #expect(throws: WebSocketsError.messageTooLarge(limit: 1000)) {
                try socket.send(.binary(Data(count: 1000)))
            }
            try socket.send(.text("still open"))
            #expect(try await within { try await nextMessage(socket) } == .text("still open"))
        }
    }

    @Test func aConsumerThatLagsSlowsTheSenderAndLosesNothing() async throws {
        let go = Signal<Void>()
        let total = 400
        let counted = Signal<Int>()
        let service = TestService(serve: { socket, _ in
            try? await go.next()
            var bytes = 0
            do {
                for try await case .binary(let data) in socket.messages {
                    bytes += data.count
                    if bytes == total << 16 { break }
                }
            } catch {}
            counted.send(bytes)
        })
        try await withServer(.init(maximumQueuedBytes: 256 << 10, keepAlive: .milliseconds(600)), service: service) {
            server in
            var configuration = ClientConfiguration()
            configuration.maximumQueuedBytes = 256 << 20
            let socket = try await WebSocket.connect(to: server.webSocketURL(), configuration: configuration)
            for _ in 0..<total { try socket.send(.binary(Data(count: 64 << 10))) }
            // Longer than the keep-alive gives a peer that is not being read.
            try await Task.sleep(for: .milliseconds(1200))
            go.send(())
            #expect(try await within { try await counted.next() } == total << 16)
        }
    }

    @Test func aCancelledConsumerEnds() async throws {
        try await withServer { server in
            let socket = try await WebSocket.connect(to: server.webSocketURL())
            let consumer = Task { try await collect(socket) }
            consumer.cancel()
            #expect(try await within { try await consumer.value }.isEmpty)
        }
    }

    @Test func pingsKeepASilentSocketAlive() async throws {
        try await withServer(.init(keepAlive: .seconds(1))) { server in
            var configuration = ClientConfiguration()
            configuration.keepAlive = .seconds(1)
            let socket = try await WebSocket.connect(to: server.webSocketURL(), configuration: configuration)
            // More than either side would wait for a sign of life.
            try await Task.sleep(for: .milliseconds(2500))
            try socket.send(.text("alive"))
            #expect(try await within { try await nextMessage(socket) } == .text("alive"))
        }
    }

    @Test func aPeerThatAnswersNoPingIsGivenUp() async throws {
        let outcome = Signal<WebSocketsError?>()
        let service = TestService(serve: { socket, _ in
            do { _ = try await collect(socket) } catch { outcome.send(error as? WebSocketsError) }
        })
        try await withServer(.init(keepAlive: .milliseconds(400)), service: service) { server in
            let begin = ContinuousClock.now
            let client = try await RawClient.openWebSocket(server.port)
            let ping = try await within { try await client.receive(count: 2) }
            #expect(ping == [0x89, 0x00])
            let error = try await within { try await outcome.next() }
            #expect(error == .closed(code: 1006, reason: "the other side does not answer pings"))
            #expect(ContinuousClock.now - begin >= .milliseconds(500))
        }
    }

    @Test func framesByHand() async throws {
        try await withServer { server in
            let client = try await RawClient.openWebSocket(server.port)
            // A fragmented text with a ping in between.
            try await client.send(frame(0x01, "ab") + frame(0x89, "?") + frame(0x80, "cd"))
            let answer = try await within { try await client.receive(count: 3 + 6) }
            #expect(answer == [0x8a, 1, 63, 0x81, 4, 97, 98, 99, 100])
            try await client.send(frame(0x88, "\u{3}\u{7f}"))
            let close = try await within { try await client.receive() }
            // 0x037f is no close code.
            #expect(Array(close.prefix(4)) == [0x88, close[1], 0x03, 0xea])
            #expect(try await within { try await client.receive() }.isEmpty)
        }
    }

    @Test(arguments: [([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28] as [UInt8], 1007), ([0x81, 0x01, 0x61], 1002)])
    func badFramesCloseWithTheirCode(_ bytes: [UInt8], _ code: Int) async throws {
        try await withServer { server in
            let client = try await RawClient.openWebSocket(server.port)
            try await client.send(bytes)
            let close = try await within { try await client.receive() }
            #expect(Array(close.prefix(1)) + close[2...3] == [0x88, UInt8(code >> 8), UInt8(code & 255)])
            #expect(try await within { try await client.receive() }.isEmpty)
        }
    }

    private func frame(_ first: UInt8, _ payload: String) -> [UInt8] {
        [first, 0x80 | UInt8(payload.utf8.count), 0, 0, 0, 0] + Array(payload.utf8)
    }
}

extension RawClient {
    /// A client that has upgraded and then does only what the test says.
    static func openWebSocket(_ port: Int) async throws -> RawClient {
        let client = try await connect(port)
        try await client.send(
            "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        let head = try await receiveUpgrade(client)
        guard head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n") else {
            throw Failure(description: "not accepted: \(head)")
        }
        return client
    }

    /// Byte by byte, so that nothing behind the head is taken.
    private static func receiveUpgrade(_ client: RawClient) async throws -> String {
        try await onThread {
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
                guard recv(client.descriptor, &byte, 1, 0) == 1 else {
                    throw Failure(description: "closed after: \(String(decoding: bytes, as: UTF8.self))")
                }
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
