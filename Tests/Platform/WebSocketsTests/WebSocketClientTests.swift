import Foundation
import TestSupport
import Testing

@testable import WebSockets

@Suite("WebSocket client")
struct WebSocketClientTests {
    private func connectError(
        _ url: String, _ configuration: ClientConfiguration = .init()
    ) async throws -> WebSocketsError? {
        let url = try #require(URL(string: url))
        return try await within {
            do throws(WebSocketsError) {
                _ = try await WebSocket.connect(to: url, configuration: configuration)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func badURLs() async throws {
        for url in ["http://h/", "ws:///path", "ws://h:99999/", "wss:"] {
            guard case .invalidURL = try await connectError(url) else {
                Issue.record("\(url) was not refused")
                continue
            }
        }
    }

    @Test func secretsOfTheURLAreInNoError() async throws {
        let server = try await HTTPServer.start(service: TestService())
        await server.stop()
        let error = try await connectError("ws://user:hunter2@127.0.0.1:\(server.port)/p?token=hunter3")
        guard case .cannotConnect(let url, _) = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(url == "ws://127.0.0.1:\(server.port)/p")
    }

    @Test func aHostWithoutAddress() async throws {
        #expect(try await connectError("ws://nobody.invalid/") == .hostNotFound(host: "nobody.invalid"))
    }

    @Test func aServerThatDoesNotAnswer() async throws {
        // It listens and accepts, and says nothing.
        let silent = try await SilentServer.start()
        var configuration = ClientConfiguration()
        configuration.connectTimeout = .milliseconds(200)
        #expect(try await connectError("ws://127.0.0.1:\(silent.port)/", configuration) == .timeout)
    }

    @Test func theTimeoutFollowsTheInjectedClock() async throws {
        let silent = try await SilentServer.start()
        var configuration = ClientConfiguration()
        let clock = ManualClock()
        configuration.clock = clock
        let attempt = Task { [configuration] in
            try await connectError("ws://127.0.0.1:\(silent.port)/", configuration)
        }
        try await within { await clock.sleepers() }
        clock.advance(by: .seconds(10))
        #expect(try await attempt.value == .timeout)
    }

    @Test func cancellingEndsTheAttempt() async throws {
        let silent = try await SilentServer.start()
        let url = try #require(URL(string: "ws://127.0.0.1:\(silent.port)/"))
        let attempt = Task { try await WebSocket.connect(to: url) }
        try await within { try await silent.accepted.next() }
        attempt.cancel()
        await #expect(throws: WebSocketsError.cancelled) { try await within { _ = try await attempt.value } }
    }

    @Test func aServerThatIsNotOne() async throws {
        for answer in [
            "SSH-2.0-x\r\n\r\n",
            "HTTP/1.1 101 Ok\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
        ] {
            let other = try await SilentServer.start(answer: answer)
            let error = try await connectError("ws://127.0.0.1:\(other.port)/")
            guard case .cannotConnect = error else {
                Issue.record("unexpected: \(String(describing: error))")
                continue
            }
        }
        let other = try await SilentServer.start(answer: "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
        #expect(try await connectError("ws://127.0.0.1:\(other.port)/") == .refused(status: 503))
    }

    @Test func bothFamilies() async throws {
        for host in ["::1", "127.0.0.1", "localhost"] {
            var configuration = HTTPServer.Configuration()
            configuration.host = host == "localhost" ? "127.0.0.1" : host
            let server = try await HTTPServer.start(configuration, service: TestService())
            let text = host.contains(":") ? "[\(host)]" : host
            let url = try #require(URL(string: "ws://\(text):\(server.port)/"))
            let socket = try await within { try await WebSocket.connect(to: url) }
            try socket.send(.text(host))
            #expect(try await within { try await nextMessage(socket) } == .text(host))
            await server.stop()
        }
    }

    @Test func manySocketsShareOneThread() async throws {
        let server = try await HTTPServer.start(service: TestService())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let socket = try await WebSocket.connect(to: server.webSocketURL())
                    try socket.send(.text("\(number)"))
                    return try await nextMessage(socket) == .text("\(number)")
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
        await server.stop()
    }

    @Test func aServerThatIsKilled() async throws {
        let script = """
            import socket, hashlib, base64, os, time
            s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True)
            c, _ = s.accept(); text = b""
            while b"\\r\\n\\r\\n" not in text: text += c.recv(4096)
            key = [l.split(b": ")[1] for l in text.split(b"\\r\\n") if l.lower().startswith(b"sec-websocket-key")][0]
            accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            c.sendall(b"HTTP/1.1 101 OK\\r\\nUpgrade: WebSocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: "
                + accept + b"\\r\\n\\r\\n\\x81\\x02hi")
            time.sleep(60)
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", script]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = try await RawClient.onThread {
            String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        }
        let port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
        let url = try #require(URL(string: "ws://127.0.0.1:\(port)/"))
        let socket = try await within { try await WebSocket.connect(to: url) }
        // A message in the same packet as the handshake is not lost.
        #expect(try await within { try await nextMessage(socket) } == .text("hi"))
        kill(process.processIdentifier, SIGKILL)
        await #expect(throws: WebSocketsError.closed(code: 1006, reason: "the connection was lost")) {
            try await within { _ = try await collect(socket) }
        }
    }

    @Test func lettingASocketGoClosesIt() async throws {
        let ended = Signal<Void>()
        let service = TestService(serve: { socket, _ in
            _ = try? await collect(socket)
            ended.send(())
        })
        let server = try await HTTPServer.start(service: service)
        _ = try await WebSocket.connect(to: server.webSocketURL())
        try await within { try await ended.next() }
        await server.stop()
    }
}

/// A TCP server that says one thing, or nothing.
final class SilentServer: Sendable {
    let port: Int
    let accepted: Signal<Void>
    private let descriptor: Int32

    private init(port: Int, descriptor: Int32, accepted: Signal<Void>) {
        self.port = port
        self.descriptor = descriptor
        self.accepted = accepted
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    static func start(answer: String = "") async throws -> SilentServer {
        let (descriptor, port) = try NumericAddress.listen("127.0.0.1", port: 0).get()
        let accepted = Signal<Void>()
        _ = fcntl(descriptor, F_SETFL, 0)
        Thread.detachNewThread {
            var clients: [Int32] = []
            while true {
                let client = Glibc.accept(descriptor, nil, nil)
                guard client >= 0 else { break }
                accepted.send(())
                clients.append(client)
                _ = answer.utf8.withContiguousStorageIfAvailable {
                    send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            }
            for client in clients { close(client) }
            close(descriptor)
        }
        return SilentServer(port: port, descriptor: descriptor, accepted: accepted)
    }
}
