import Basics
import CWebSockets
import Foundation

/// The C memory that a context refers to for as long as it lives.
///
/// Immutable after its initialiser, hence `@unchecked Sendable`. Never freed, as its ``ServiceLoop`` never ends.
final class LibrarySettings: @unchecked Sendable {
    typealias Callback =
        @convention(c) (
            OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
        ) -> Int32

    /// Setting up touches state of the whole process inside libwebsockets and OpenSSL.
    private static let processWide = Locked(0)

    /// Runs `body` while no other context is being made.
    static func exclusively<Result: Sendable>(_ body: () -> Result) -> Result {
        processWide.withLock { _ in body() }
    }

    /// The name of our protocol, for accepted and for opened connections.
    let name = keep("porchlight")
    /// A path, which libwebsockets wants even where it is not used.
    let path = keep("/")
    /// The 'method' of a client's connection without HTTP.
    let rawMethod = keep("RAW")
    /// The one application protocol.
    let alpn = keep("http/1.1")
    private let protocols: UnsafeMutablePointer<lws_protocols>

    /// Copies a string for good: libwebsockets keeps pointers to the names that it is given.
    static func keep(_ text: String) -> UnsafePointer<CChar> { UnsafePointer(strdup(text)) }

    init(callback: @escaping Callback) {
        protocols = .allocate(capacity: 2)
        protocols.initialize(repeating: lws_protocols(), count: 2)
        protocols[0].name = name
        protocols[0].callback = callback
        protocols[0].rx_buffer_size = 32 << 10
    }

    /// What is common to all contexts and virtual hosts.
    /// - Parameter user: The loop.
    func contextInfo(user: UnsafeMutableRawPointer) -> lws_context_creation_info {
        var info = lws_context_creation_info()
        info.protocols = UnsafePointer(protocols)
        info.user = user
        info.alpn = alpn
        info.port = porchlight_lws_no_listen
        info.pt_serv_buf_size = 32 << 10
        info.gid = -1
        info.uid = -1
        // Old TLS is off: SSL_OP_NO_TLSv1 and SSL_OP_NO_TLSv1_1 of OpenSSL.
        info.ssl_options_set = 0x0400_0000 | 0x1000_0000
        info.options = porchlight_lws_explicit_vhosts | porchlight_lws_ssl_init | porchlight_lws_no_client_tls
        // libwebsockets allocates tables by the descriptor limit, which containers set to a thousand million.
        if DescriptorLimit.soft > 1 << 18 { info.fd_limit_per_thread = 1 << 16 }
        return info
    }
}

/// How many descriptors the process may have.
enum DescriptorLimit {
    /// The soft limit now.
    static var soft: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Accepted connections stay below this, so that files, databases and libwebsockets itself keep some.
    static var usable: Int { soft - max(32, min(soft / 20, 256)) }
}
