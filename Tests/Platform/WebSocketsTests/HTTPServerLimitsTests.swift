import Foundation
import TestSupport
import Testing

@testable import WebSockets

@Suite("HTTP server, hostile clients")
struct HTTPServerLimitsTests {
    private func answer(
        _ bytes: String, _ configuration: HTTPServer.Configuration = .init(), engine: ServiceLoop.Engine = .libuv
    ) async throws -> String {
        let server = try await HTTPServer.start(configuration, service: TestService(), engine: engine)
        let client = try await RawClient.connect(server.port)
        try await client.send(bytes)
        let answer = try await within { try await client.receiveToEnd() }
        await server.stop()
        return answer
    }

    @Test(arguments: [ServiceLoop.Engine.libuv, .poll])
    func tooLargeABody(_ engine: ServiceLoop.Engine) async throws {
        // All of the body is sent: the answer must survive that the server reads none of it.
        let body = String(repeating: "x", count: 400_000)
        let text = try await answer(
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 400000\r\n\r\n" + body, .init(maximumBodyBytes: 1000),
            engine: engine)
        #expect(text.hasPrefix("HTTP/1.1 413 "))
        #expect(text.contains("Connection: close\r\n"))
        #expect(
            text.hasSuffix(
                #"{"error":{"code":"bodyTooLarge","message":"the body is over 1000 bytes","field":"body"}}"#))
    }

    @Test(arguments: ["-5", "abc", "5\r\nContent-Length: 5", "5, 5"])
    func badContentLength(_ value: String) async throws {
        let text = try await answer("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(value)\r\n\r\nhello")
        #expect(text.hasPrefix("HTTP/1.1 400 "))
    }

    @Test func tooLargeAHeader() async throws {
        let text = try await answer("GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "y", count: 40_000))\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 431 "))
    }

    @Test func http2InTheClear() async throws {
        let text = try await answer("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 505 "))
    }

    @Test func anUpgradeToHTTP2IsIgnored() async throws {
        let text = try await answer(
            "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings, close\r\n"
                + "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 200 "))
    }

    @Test func slowHeadersAndBodies() async throws {
        let configuration = HTTPServer.Configuration(
            headerTimeout: .milliseconds(200), bodyTimeout: .milliseconds(200))
        #expect(try await answer("GET / HT", configuration).hasPrefix("HTTP/1.1 408 "))
        #expect(
            try await answer("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc", configuration)
                .hasPrefix("HTTP/1.1 408 "))
    }

    @Test func bytesThatTrickleDoNotProlongTheLimit() async throws {
        let server = try await HTTPServer.start(.init(headerTimeout: .seconds(1)), service: TestService())
        let client = try await RawClient.connect(server.port)
        try await client.send("GET / HTTP/1.1\r\nHost: h\r\nX: ")
        let trickle = Task {
            while !Task.isCancelled, try await client.send("y") { try await Task.sleep(for: .milliseconds(20)) }
        }
        let answer = try await within(.seconds(10)) { try await client.receive(until: "\r\n\r\n") }
        trickle.cancel()
        #expect(answer.hasPrefix("HTTP/1.1 408 "))
        await server.stop()
    }

    @Test func whoSaysNothingIsClosedWithoutAnAnswer() async throws {
        #expect(try await answer("", .init(idleTimeout: .milliseconds(200))) == "")
    }

    @Test func anIdleConnectionIsClosed() async throws {
        let text = try await answer("GET / HTTP/1.1\r\nHost: h\r\n\r\n", .init(idleTimeout: .seconds(2)))
        #expect(text.hasPrefix("HTTP/1.1 200 "))
    }

    @Test func aClientThatReadsNothingIsClosed() async throws {
        let service = TestService(respond: { _ in HTTPResponse(status: 200, body: Data(count: 64 << 20)) })
        let server = try await HTTPServer.start(.init(idleTimeout: .seconds(2)), service: service)
        let client = try await RawClient.connect(server.port)
        // It goes on sending, which must not keep the thread busy either.
        try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n")
        try await within(.seconds(15), "the connection's end") {
            while try await client.send("x") { try await Task.sleep(for: .milliseconds(20)) }
        }
        await server.stop()
    }

    @Test func oneAddressHasOnlySoManyConnections() async throws {
        let server = try await HTTPServer.start(.init(maximumConnectionsPerAddress: 2), service: TestService())
        let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        var clients: [RawClient] = []
        for _ in 0..<2 {
            let client = try await RawClient.connect(server.port)
            try await client.send(request)
            _ = try await within { try await client.receive(until: "\r\n\r\n") }
            clients.append(client)
        }
        let third = try await RawClient.connect(server.port)
        try await third.send(request)
        #expect(try await within { try await third.receiveToEnd() } == "")
        clients.removeLast()
        // The place is free once the server has seen the close.
        try await within {
            while true {
                let again = try await RawClient.connect(server.port)
                try await again.send(request)
                if try await again.receive().starts(with: "HTTP/1.1 200".utf8) { return }
            }
        }
        await server.stop()
    }

    @Test func badUpgrades() async throws {
        let base = "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        let version = "Sec-WebSocket-Version: 13\r\n"
        let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        #expect(try await answer(base + version + "\r\n").hasPrefix("HTTP/1.1 400 "))
        #expect(try await answer(base + version + "Sec-WebSocket-Key: short\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
        let old = try await answer(base + "Sec-WebSocket-Version: 8\r\n" + key + "\r\n")
        #expect(old.hasPrefix("HTTP/1.1 426 "))
        #expect(old.contains("Sec-WebSocket-Version: 13\r\n"))
        let post = base.replacing("GET", with: "POST") + version + key + "\r\n"
        #expect(try await answer(post).hasPrefix("HTTP/1.1 400 "))
    }
}
