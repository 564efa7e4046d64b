import Foundation
import TestSupport
import Testing

@testable import WebSockets

@Suite("HTTP server")
struct HTTPServerTests {
    private func withServer(
        _ configuration: HTTPServer.Configuration = .init(), service: TestService = TestService(),
        _ body: @Sendable (HTTPServer) async throws -> Void
    ) async throws {
        for engine in [ServiceLoop.Engine.libuv, .poll] {
            let server = try await HTTPServer.start(configuration, service: service, engine: engine)
            do { try await body(server) } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }
    }

    private static let describing = TestService(respond: { request in
        let text =
            "\(request.method) \(request.path) \(request.query.sorted { $0.key < $1.key }) "
            + "\(request.headers["x-MiXed"] ?? "-") \(request.body.count)"
        return HTTPResponse(status: 200, headers: ["X-Own": "a\r\nInjected: b"], body: Data(text.utf8))
    })

    @Test func methodsPathsAndHeaders() async throws {
        try await withServer(service: Self.describing) { server in
            let client = try await RawClient.connect(server.port)
            try await client.send(
                "BREW /pot%2F1%20a?n=%C3%A4&m= HTTP/1.1\r\nHost: h\r\nX-Mixed: yes\r\nContent-Length: 2\r\n\r\nhi")
            let answer = try await within { try await client.receive(until: "yes 2") }
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.hasSuffix(#"BREW /pot/1 a [(key: "m", value: ""), (key: "n", value: "ä")] yes 2"#))
            #expect(answer.contains("X-Own: a  Injected: b\r\n"))
            #expect(answer.contains("Date: "))
        }
    }

    @Test func headAndEmptyStatuses() async throws {
        let service = TestService(respond: { request in
            HTTPResponse(status: Int(request.path.dropFirst()) ?? 200, body: Data("body".utf8))
        })
        try await withServer(service: service) { server in
            let client = try await RawClient.connect(server.port)
            try await client.send(
                "HEAD / HTTP/1.1\r\nHost: h\r\n\r\nGET /204 HTTP/1.1\r\nHost: h\r\n\r\n"
                    + "GET /304 HTTP/1.1\r\nHost: h\r\n\r\nGET /200 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            let answer = try await within { try await client.receiveToEnd() }
            let parts = answer.components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(parts.map { $0.prefix(3) } == ["200", "204", "304", "200"])
            #expect(parts.map { $0.hasSuffix("body") } == [false, false, false, true])
            #expect(parts.map { $0.contains("Content-Length: 4") } == [true, false, false, true])
        }
    }

    @Test func curlUploadsAndReusesItsConnection() async throws {
        try await withServer(.init(maximumBodyBytes: 8 << 20), service: Self.describing) { server in
            let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(repeating: 7, count: 3 << 20).write(to: file)
            let url = "http://127.0.0.1:\(server.port)"
            // The upload makes curl wait for 100 Continue; without it, a second passes.
            let output = try await within {
                try await run(
                    "curl", "-sS", "--http2", "-T", file.path, "\(url)/a", "--next", "-sS", "-X", "POST", "-H",
                    "Transfer-Encoding: chunked", "--data-binary", "@\(file.path)", "\(url)/b", "--next", "-sS", "-w",
                    " connections=%{num_connects}", "\(url)/c")
            }
            #expect(output == "PUT /a [] - 3145728POST /b [] - 3145728GET /c [] - 0 connections=0")
        }
    }

    @Test func binaryBodiesOfManyMegabytesComeBack() async throws {
        try await withServer(.init(maximumBodyBytes: 16 << 20)) { server in
            let client = try await RawClient.connect(server.port)
            let body = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) }
            try await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n")
            async let sent = client.send(body)
            let head = try await within { try await client.receiveHead() }
            var bytes = head.rest
            while bytes.count < body.count { bytes += try await within { try await client.receive() } }
            #expect(try await sent)
            let isSame = bytes == body
            #expect(isSame)
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        let service = TestService(respond: { request in
            // The earlier, the slower: out of order unless the server keeps it.
            if request.path == "/0" { for _ in 0..<200 { await Task.yield() } }
            return HTTPResponse(status: 200, body: Data("[\(request.path)]".utf8))
        })
        try await withServer(service: service) { server in
            let client = try await RawClient.connect(server.port)
            let all = (0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
            try await client.send(all + "GET /end HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            let answer = try await within { try await client.receiveToEnd() }
            let order = answer.split(separator: "[").dropFirst().map { $0.prefix { $0 != "]" } }
            #expect(order == (0..<50).map { "/\($0)" } + ["/end"])
        }
    }

    @Test func twoHundredRequestsAtOnce() async throws {
        try await withServer(service: Self.describing) { server in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let client = try await RawClient.connect(server.port)
                        try await client.send("GET /\(number) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                        return try await client.receiveToEnd().contains("GET /\(number) []")
                    }
                }
                var good = 0
                for try await isGood in group where isGood { good += 1 }
                #expect(good == 200)
            }
        }
    }

    @Test func aClientThatGoesAwayCancelsItsRequest() async throws {
        let (began, cancelled) = (Signal<Void>(), Signal<Void>())
        let service = TestService(respond: { _ in
            began.send(())
            await withTaskCancellationHandler {
                do { try await Task.sleep(for: .seconds(60)) } catch {}
            } onCancel: {
                cancelled.send(())
            }
            return HTTPResponse(status: 200)
        })
        try await withServer(service: service) { server in
            for pipelined in ["", "GET /next HTTP/1.1\r\nHost: h\r\n\r\n"] {
                let client = try await RawClient.connect(server.port)
                try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n" + pipelined)
                try await within { try await began.next() }
                client.finishSending()
                try await within(.seconds(10), "the cancellation") { try await cancelled.next() }
            }
        }
    }

    @Test func bothFamilies() async throws {
        for (host, peer) in [("::1", "::1"), ("localhost", "localhost"), ("::", "127.0.0.1"), ("0.0.0.0", "127.0.0.1")]
        {
            let service = TestService(respond: { HTTPResponse(status: 200, body: Data("<\($0.remoteAddress)>".utf8)) })
            try await withServer(.init(host: host), service: service) { server in
                let client = try await RawClient.connect(server.port, host: peer)
                try await client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                let answer = try await within { try await client.receiveToEnd() }
                #expect(answer.hasSuffix(peer == "::1" ? "<::1>" : "<127.0.0.1>") || peer == "localhost")
            }
        }
    }
}
