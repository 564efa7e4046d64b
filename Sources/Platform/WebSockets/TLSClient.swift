import CWebSockets
import Foundation

/// TLS of a client's connection, between memory and memory: what came is fed in, what must be sent is taken out.
///
/// With OpenSSL directly, because libwebsockets' raw client (4.1.6) neither tells when TLS is up nor looks at the
/// certificate. Touched on the service thread only.
final class TLSClient {
    /// Which authorities are trusted. Costly to load, so one is kept for each file.
    final class Authorities {
        fileprivate let context: OpaquePointer

        /// - Parameter file: PEM; nil for the system's.
        /// - Returns: nil when the file cannot be used.
        init?(file: String?) {
            guard let context = SSL_CTX_new(TLS_client_method()) else { return nil }
            self.context = context
            porchlight_tls_require_1_2(context)
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
            let isLoaded =
                file.map { SSL_CTX_load_verify_locations(context, $0, nil) }
                ?? SSL_CTX_set_default_verify_paths(context)
            guard isLoaded == 1 else { return nil }
        }

        deinit { SSL_CTX_free(context) }
    }

    /// Why there is no secure connection.
    struct Failure: Error {
        var reason: String
    }

    /// Before this, the clock cannot be right: devices without a battery for it wake up in 1970. They must reach the
    /// network to learn the time, so the period of validity is not checked then; everything else is.
    private static let plausible = Date(timeIntervalSince1970: 1_735_689_600)

    private let tls: OpaquePointer
    // Owned by `tls`.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    /// Whether the handshake is over.
    private(set) var isUp = false
    /// Whether the certificate's period of validity counts.
    let checksTime: Bool

    /// - Parameters:
    ///   - host: The name or numeric address that the certificate must be for.
    ///   - now: The time by the system's clock.
    init?(_ authorities: Authorities, host: String, now: Date) {
        guard let tls = SSL_new(authorities.context) else { return nil }
        guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
            SSL_free(tls)
            return nil
        }
        self.tls = tls
        self.incoming = incoming
        self.outgoing = outgoing
        checksTime = now >= Self.plausible
        SSL_set_bio(tls, incoming, outgoing)
        SSL_set_connect_state(tls)
        let parameters = SSL_get0_param(tls)
        // An address is not a name, and is not sent as one (RFC 6066 section 3).
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, host) != 1 {
            ERR_clear_error()
            guard SSL_set1_host(tls, host) == 1, porchlight_tls_name(tls, host) != 0 else { return nil }
        }
        if !checksTime { X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_NO_CHECK_TIME)) }
        let alpn = [UInt8(8)] + Array("http/1.1".utf8)
        SSL_set_alpn_protos(tls, alpn, UInt32(alpn.count))
    }

    deinit { SSL_free(tls) }

    /// Goes on with the handshake, if it is not over.
    func shakeHands() throws(Failure) {
        guard !isUp else { return }
        ERR_clear_error()
        let result = SSL_do_handshake(tls)
        if result == 1 {
            isUp = true
        } else if SSL_get_error(tls, result) != SSL_ERROR_WANT_READ {
            throw failure()
        }
    }

    /// Takes in what was received.
    func feed(_ bytes: UnsafeRawBufferPointer) {
        BIO_write(incoming, bytes.baseAddress, Int32(clamping: bytes.count))
    }

    /// Decrypts up to the size of `buffer`.
    /// - Returns: How many bytes; 0 when more must come first, nil when the server has closed.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int? {
        ERR_clear_error()
        let result = SSL_read(tls, buffer.baseAddress, Int32(clamping: buffer.count))
        guard result <= 0 else { return Int(result) }
        switch SSL_get_error(tls, result) {
        case SSL_ERROR_WANT_READ: return 0
        case SSL_ERROR_ZERO_RETURN: return nil
        default: throw failure()
        }
    }

    /// Encrypts; to be sent is then what ``takeOutput()`` gives.
    func write(_ data: Data) throws(Failure) {
        ERR_clear_error()
        let count = data.withUnsafeBytes { SSL_write(tls, $0.baseAddress, Int32(clamping: $0.count)) }
        guard count == data.count else { throw failure() }
    }

    /// What must be sent now.
    func takeOutput() -> Data {
        let count = porchlight_tls_pending(outgoing)
        guard count > 0 else { return Data() }
        var data = Data(count: count)
        let taken = data.withUnsafeMutableBytes { BIO_read(outgoing, $0.baseAddress, Int32(clamping: $0.count)) }
        return data.prefix(max(0, Int(taken)))
    }

    private func failure() -> Failure {
        let verdict = SSL_get_verify_result(tls)
        if verdict != X509_V_OK, let text = X509_verify_cert_error_string(verdict) {
            return Failure(reason: "the server's certificate is not accepted: \(String(cString: text))")
        }
        guard let text = ERR_reason_error_string(ERR_peek_error()) else { return Failure(reason: "TLS failed") }
        return Failure(reason: "TLS failed: \(String(cString: text))")
    }
}
