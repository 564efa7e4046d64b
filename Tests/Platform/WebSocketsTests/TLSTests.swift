import Foundation
import TestSupport
import Testing

@testable import WebSockets

@Suite("TLS")
struct TLSTests {
    /// A self-signed certificate.
    private func withCertificate(
        names: String = "DNS:localhost,IP:127.0.0.1", _ body: @Sendable (TLSFiles) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = TLSFiles(
            certificate: folder.appending(path: "cert.pem").path, key: folder.appending(path: "key.pem").path)
        try await makeCertificate(files, names: names)
        try await body(files)
    }

    private func makeCertificate(_ files: TLSFiles, names: String) async throws {
        _ = try await run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=\(names)", "-keyout", files.key,
            "-out", files.certificate)
    }

    @Test func httpsAndWebSocketsOverTLS() async throws {
        try await withCertificate { files in
            let server = try await HTTPServer.start(
                .init(tls: files, maximumBodyBytes: 8 << 20), service: TestService())
            let folder = URL(fileURLWithPath: files.certificate).deletingLastPathComponent()
            let upload = folder.appending(path: "body")
            try Data((0..<(2 << 20)).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 9)) }).write(to: upload)
            let back = folder.appending(path: "back").path
            let output = try await within {
                try await run(
                    "curl", "-sS", "--cacert", files.certificate, "-T", upload.path, "-o", back, "-w",
                    "%{http_code} %{http_version}", "https://localhost:\(server.port)/")
            }
            #expect(output == "200 1.1")
            #expect(FileManager.default.contentsEqual(atPath: upload.path, andPath: back))

            var configuration = ClientConfiguration()
            configuration.caFile = files.certificate
            let url = try #require(URL(string: "wss://localhost:\(server.port)/"))
            let socket = try await within { [configuration] in
                try await WebSocket.connect(to: url, configuration: configuration)
            }
            let large = Data(repeating: 5, count: 900_000)
            try socket.send(.binary(large))
            let echoed = try await within { try await nextMessage(socket) }
            let isSame = echoed == .binary(large)
            #expect(isSame)

            await server.stop()
        }
    }

    @Test func certificatesAreChecked() async throws {
        try await withCertificate { files in
            let server = try await HTTPServer.start(.init(tls: files), service: TestService())
            var trusting = ClientConfiguration()
            trusting.caFile = files.certificate
            let byAddress = try #require(URL(string: "wss://127.0.0.1:\(server.port)/"))
            let byName = try #require(URL(string: "wss://localhost:\(server.port)/"))
            for url in [byAddress, byName] {
                let socket = try await within { [trusting] in
                    try await WebSocket.connect(to: url, configuration: trusting)
                }
                socket.close()
                let reason = try await failure(url, ClientConfiguration())
                #expect(reason == "the server's certificate is not accepted: self-signed certificate")
            }
            await server.stop()
        }
        try await withCertificate(names: "DNS:other.example,IP:192.0.2.1") { files in
            let server = try await HTTPServer.start(.init(tls: files), service: TestService())
            var trusting = ClientConfiguration()
            trusting.caFile = files.certificate
            for (host, what) in [("localhost", "hostname"), ("127.0.0.1", "IP address")] {
                let url = try #require(URL(string: "wss://\(host):\(server.port)/"))
                let reason = try await failure(url, trusting)
                #expect(reason == "the server's certificate is not accepted: \(what) mismatch")
            }
            trusting.caFile = "/nonexistent/ca.pem"
            let url = try #require(URL(string: "wss://localhost:\(server.port)/"))
            #expect(try await failure(url, trusting)?.contains("/nonexistent/ca.pem") == true)
            await server.stop()
        }
    }

    /// Servers that follow each other on one loop each show their own certificate, whether or not the client names its
    /// host, and a client reads its authorities again when their file has changed.
    @Test(arguments: ["localhost", "127.0.0.1"])
    func aRenewedCertificateIsShownAndTrusted(host: String) async throws {
        let loop = ServiceLoop(.libuv)
        let names = "DNS:localhost,IP:127.0.0.1"
        try await withCertificate(names: names) { files in
            for _ in 0..<2 {
                try await makeCertificate(files, names: names)
                let roster = ConnectionRoster()
                let port = try await loop.listen(
                    .init(host: "127.0.0.1", port: 0, tls: files, maximumConnectionsPerAddress: 100) { transport in
                        HTTPConnection(transport, configuration: .init(), service: TestService(), roster: roster)
                    })
                let url = try #require(URL(string: "wss://\(host):\(port)/"))
                var trusting = ClientConfiguration()
                trusting.caFile = files.certificate
                #expect(try await failure(url, trusting) == nil)
                loop.perform {
                    loop.stopListening()
                    loop.dropAll()
                }
                try await within { await loop.emptied() }
            }
        }
    }

    /// A period of validity is checked once the clock can be right.
    @Test func aClockBeforeItsTime() async throws {
        try await withCertificate { files in
            let authorities = try #require(TLSClient.Authorities(file: files.certificate))
            let past = Date(timeIntervalSince1970: 0)
            #expect(TLSClient(authorities, host: "localhost", now: past)?.checksTime == false)
            #expect(TLSClient(authorities, host: "localhost", now: .now)?.checksTime == true)
        }
    }

    private func failure(_ url: URL, _ configuration: ClientConfiguration) async throws -> String? {
        try await within {
            do {
                _ = try await WebSocket.connect(to: url, configuration: configuration)
                return nil
            } catch {
                guard case WebSocketsError.cannotConnect(_, let reason) = error else { throw error }
                return reason
            }
        }
    }

    @Test func aPlainServerIsNoTLSServer() async throws {
        let server = try await HTTPServer.start(service: TestService())
        let url = try #require(URL(string: "wss://127.0.0.1:\(server.port)/"))
        #expect(try await failure(url, ClientConfiguration())?.hasPrefix("TLS failed") == true)
        await server.stop()
    }

    @Test func plainTextOnATLSPortIsClosed() async throws {
        try await withCertificate { files in
            let server = try await HTTPServer.start(.init(tls: files), service: TestService())
            let client = try await RawClient.connect(server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await within { try await client.receiveToEnd() }.hasPrefix("HTTP") == false)
            await server.stop()
        }
    }

    @Test func unusableFiles() async throws {
        try await withCertificate { files in
            for bad in [
                TLSFiles(certificate: "/nonexistent/cert.pem", key: files.key),
                TLSFiles(certificate: files.key, key: files.certificate),
            ] {
                do {
                    _ = try await HTTPServer.start(.init(tls: bad), service: TestService())
                    Issue.record("it serves")
                } catch {
                    guard case WebSocketsError.cannotListen = error else {
                        Issue.record("unexpected: \(error)")
                        continue
                    }
                }
            }
        }
    }
}
