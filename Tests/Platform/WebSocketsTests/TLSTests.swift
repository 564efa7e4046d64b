import Foundation
import TestSupport
import Testing

@testable import WebSockets

@Suite("TLS")
struct TLSTests {
    /// A self-signed certificate for `localhost` and 127.0.0.1.
    private func withCertificate(_ body: @Sendable (TLSFiles) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = TLSFiles(
            certificate: folder.appending(path: "cert.pem").path, key: folder.appending(path: "key.pem").path)
        _ = try await run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", files.key,
            "-out", files.certificate)
        try await body(files)
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

            await server.stop()
        }
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
