import Foundation

/// A self-signed certificate and its key, as PEM files that live as long as this.
public final class TestCertificate: Sendable {
    /// The path of the certificate.
    public let certificate: String
    /// The path of the key.
    public let key: String
    private let directory: TemporaryDirectory

    /// Makes one that is valid for two days.
    /// - Parameter names: In OpenSSL's form of a `subjectAltName`.
    public init(names: String = "DNS:localhost,IP:127.0.0.1") async throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        certificate = directory.path("certificate.pem")
        key = directory.path("key.pem")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", certificate,
        ]
        process.standardError = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        precondition(status == 0, "openssl made no certificate")
    }
}
