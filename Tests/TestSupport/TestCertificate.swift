import Foundation

/// A self-signed certificate and its key, as PEM files that live as long as this.
public final class TestCertificate: Sendable {
    /// The path of the certificate.
    public let certificate: String
    /// The path of the key.
    public let key: String
    private let directory: TemporaryDirectory

    /// Makes one that is valid for two days.
    /// - Parameters:
    ///   - names: In OpenSSL's form of a `subjectAltName`.
    ///   - isExpired: It was valid until yesterday instead.
    public init(names: String = "DNS:localhost,IP:127.0.0.1", isExpired: Bool = false) async throws {
        directory = try TemporaryDirectory()
        certificate = directory.path("certificate.pem")
        key = directory.path("key.pem")
        try await Self.openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", certificate)
        if isExpired {
            try await Self.openssl(
                "x509", "-in", certificate, "-signkey", key, "-days", "-1", "-out", certificate)
        }
    }

    private static func openssl(_ arguments: String...) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardError = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        precondition(status == 0, "openssl made no certificate")
    }
}
