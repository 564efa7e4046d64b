import Foundation
import TestSupport
import Testing

@testable import WebSockets

@Suite("Server life")
struct ServerLifecycleTests {
    @Test func aPortInUse() async throws {
        // An address of its own: on that of the other tests, one of them can take the port as soon as it is free.
        var configuration = HTTPServer.Configuration(host: "127.0.0.2")
        let server = try await HTTPServer.start(configuration, service: TestService())
        configuration.port = server.port
        await #expect(throws: WebSocketsError.portInUse(host: "127.0.0.2", port: server.port)) {
            _ = try await HTTPServer.start(configuration, service: TestService())
        }
        await server.stop()
        let again = try await HTTPServer.start(configuration, service: TestService())
        #expect(again.port == server.port)
        await again.stop()
    }

    @Test func badAddresses() async throws {
        await #expect(throws: WebSocketsError.hostNotFound(host: "nobody.invalid")) {
            _ = try await HTTPServer.start(.init(host: "nobody.invalid"), service: TestService())
        }
        for configuration in [HTTPServer.Configuration(host: "192.0.2.7"), .init(port: 70000)] {
            do {
                _ = try await HTTPServer.start(configuration, service: TestService())
                Issue.record("it listens")
            } catch {
                guard case WebSocketsError.cannotListen = error else {
                    Issue.record("unexpected: \(error)")
                    continue
                }
            }
        }
    }

    @Test func stoppingEndsEverythingAndMoreThanOnce() async throws {
        let cancelled = Signal<Void>()
        let began = Signal<Void>()
        let service = TestService(
            respond: { _ in
                began.send(())
                do { try await Task.sleep(for: .seconds(60)) } catch { cancelled.send(()) }
                return HTTPResponse(status: 200)
            },
            serve: { socket, _ in
                began.send(())
                _ = try? await collect(socket)
                do { try await Task.sleep(for: .seconds(60)) } catch { cancelled.send(()) }
            })
        let server = try await HTTPServer.start(service: service)
        let idle = try await RawClient.connect(server.port)
        let waiting = try await RawClient.connect(server.port)
        try await waiting.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        try await within { try await began.next() }
        let socket = try await WebSocket.connect(to: server.webSocketURL())
        try await within { try await began.next() }
        let deaf = try await RawClient.openWebSocket(server.port)
        try await within { try await began.next() }
        // Sooner than the minute for which what it serves would go on.
        try await within(.seconds(30), "the end of the server") {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<5 { group.addTask { await server.stop() } }
            }
            await server.stop()
        }
        await #expect(throws: WebSocketsError.closed(code: 1001, reason: "the server stops")) {
            try await within { _ = try await collect(socket) }
        }
        for _ in 0..<3 { try await within(.seconds(10), "the cancellations") { try await cancelled.next() } }
        #expect(try await within { try await idle.receiveToEnd() } == "")
        #expect(try await within { try await waiting.receiveToEnd() } == "")
        try await within { while try await !deaf.receive().isEmpty {} }
        await #expect(throws: (any Error).self) { _ = try await RawClient.connect(server.port) }
    }

    @Test func lettingAServerGoStopsIt() async throws {
        var server: HTTPServer? = try await HTTPServer.start(service: TestService())
        let port = try #require(server?.port)
        let client = try await RawClient.connect(port)
        server = nil
        #expect(try await within { try await client.receiveToEnd() } == "")
    }

    /// In a process of its own, where nobody else opens files.
    @Test func nothingIsLeftBehind() async {
        await #expect(processExitsWith: .success) {
            func cycle() async throws {
                let server = try await HTTPServer.start(service: TestService())
                let client = try await RawClient.connect(server.port)
                try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try await client.receive(until: "\r\n\r\n")
                let socket = try await WebSocket.connect(to: server.webSocketURL())
                try socket.send(.text("x"))
                _ = try await nextMessage(socket)
                let refused = try? await WebSocket.connect(to: URL(string: "ws://127.0.0.1:1/")!)
                #expect(refused == nil)
                await server.stop()
                _ = try? await collect(socket)
            }
            @Sendable func count(_ directory: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: directory).count
            }
            try await cycle()
            let before = (files: try count("/proc/self/fd"), threads: try count("/proc/self/task"))
            for _ in 0..<20 { try await cycle() }
            // A leak would be twenty; a few threads and sockets of the test itself end a moment later.
            try await within(.seconds(20), "descriptors and threads back to \(before)") {
                while try count("/proc/self/fd") > before.files + 5 || count("/proc/self/task") > before.threads + 5 {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            var action = sigaction()
            // Nobody has taken the signals over.
            for signal in [SIGINT, SIGTERM] {
                sigaction(signal, nil, &action)
                #expect(unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0)
            }
        }
    }
}
