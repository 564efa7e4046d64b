import CGStreamer
import Foundation

/// Compares the certificate that a peer has shown with the fingerprint of its description.
///
/// The media engine takes any certificate; without this check whoever sits on the path can be both ends (RFC 8827,
/// chapter 6.5).
enum CertificateCheck {
    /// Whether `certificate` is the one that `fingerprint` describes (RFC 8122).
    /// - Parameter certificate: In PEM.
    static func holds(_ certificate: String, _ fingerprint: SessionDescription.Fingerprint) -> Bool {
        let body = certificate.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }.joined()
        let kinds: [String: GChecksumType] = [
            "sha-1": G_CHECKSUM_SHA1, "sha-256": G_CHECKSUM_SHA256, "sha-384": G_CHECKSUM_SHA384,
            "sha-512": G_CHECKSUM_SHA512,
        ]
        guard let bytes = Data(base64Encoded: body), !bytes.isEmpty, let kind = kinds[fingerprint.algorithm] else {
            return false
        }
        let digest = bytes.withUnsafeBytes { buffer -> String? in
            guard let start = buffer.baseAddress,
                let text = g_compute_checksum_for_data(
                    kind, start.assumingMemoryBound(to: UInt8.self), gsize(buffer.count))
            else { return nil }
            defer { g_free(text) }
            return String(cString: text)
        }
        return digest?.uppercased() == fingerprint.value.replacing(":", with: "")
    }
}
