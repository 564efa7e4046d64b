/// An HTTP/1.1 and WebSocket server.
///
/// It has one service thread, which carries the bytes; a ``HTTPService`` answers in tasks. Persistent connections and
/// pipelining are supported, HTTP/2 is not. State lies on the service thread (see `ServiceLoop`). Safe from any task. A
/// server that is let go without ``stop()`` stops by itself.
public final class HTTPServer: Sendable {
    /// How a server listens and what it accepts. Sizes are in bytes.
    public struct Configuration: Sendable {
        /// The address to listen on, numeric or a name; `0.0.0.0` for all of IPv4, `::` for all of both families.
        public var host = "127.0.0.1"
        /// The port; 0 lets the system choose (see ``HTTPServer/port``).
        public var port = 0
        /// With these the server speaks TLS (1.2 and up) only.
        public var tls: TLSFiles?
        /// The most that a request line and its headers may have; beyond it the answer is 431.
        public var maximumHeaderBytes = 16 << 10
        /// The most that a request's body may have; beyond it the answer is 413.
        public var maximumBodyBytes = 1 << 20
        /// The most that a WebSocket message may have, fragments together; beyond it the socket is closed with 1009.
        public var maximumMessageBytes = 1 << 20
        /// What may wait in a WebSocket for a slow reader; beyond it the socket is closed.
        public var maximumQueuedBytes = 4 << 20
        /// How long a request's head may take from its first byte; beyond it the answer is 408.
        public var headerTimeout: Duration = .seconds(10)
        /// How long a request's body may take; beyond it the answer is 408.
        public var bodyTimeout: Duration = .seconds(30)
        /// How long a connection may wait for its next request, or take nothing of a response, before it is closed.
        public var idleTimeout: Duration = .seconds(60)
        /// How often a WebSocket is pinged, ±10 %; after 1.5 of it without a sign of life it is closed. Proxies cut silent
        /// connections after 60 s.
        public var keepAlive: Duration = .seconds(55)
        /// How long a closing handshake may take.
        public var closeTimeout: Duration = .seconds(5)
        /// How many connections one address may have; more are closed unheard. A reverse proxy is one address.
        public var maximumConnectionsPerAddress = 4096

        /// The defaults.
        public init() {}
    }

    /// The host as configured.
    public let host: String
    /// The real port.
    public let port: Int

    private let session: ServerSession

    private init(host: String, port: Int, session: ServerSession) {
        self.host = host
        self.port = port
        self.session = session
    }

    deinit {
        let session = session
        Task { await session.stop() }
    }

    /// Listens, and serves until ``stop()``.
    /// - Throws: ``WebSocketsError/portInUse(host:port:)``, ``WebSocketsError/hostNotFound(host:)`` or
    ///   ``WebSocketsError/cannotListen(host:port:reason:)``.
    public static func start(
        _ configuration: Configuration = .init(), service: any HTTPService
    ) async throws(WebSocketsError) -> HTTPServer {
        try await start(configuration, service: service, engine: .libuv)
    }

    static func start(
        _ configuration: Configuration, service: any HTTPService, engine: ServiceLoop.Engine
    ) async throws(WebSocketsError) -> HTTPServer {
        let roster = ConnectionRoster()
        let loop = ServiceLoop.borrow(engine)
        do throws(WebSocketsError) {
            let port = try await loop.listen(
                Listener.Configuration(
                    host: configuration.host, port: configuration.port, tls: configuration.tls,
                    maximumConnectionsPerAddress: configuration.maximumConnectionsPerAddress
                ) { transport in
                    HTTPConnection(transport, configuration: configuration, service: service, roster: roster)
                })
            return HTTPServer(
                host: configuration.host, port: port, session: ServerSession(loop: loop, roster: roster))
        } catch {
            loop.giveBack()
            throw error
        }
    }

    /// Stops: takes no more connections, cancels the requests and sockets that are being served, closes WebSockets with
    /// 1001 (going away), and waits until every connection is closed, at most a second for those whose client does not
    /// close. Tasks that do not heed their cancellation are not waited for. The thread then sleeps until the process
    /// starts another server. May be called more than once, from any task.
    public func stop() async { await session.stop() }
}

/// The certificate and key of a TLS server, as PEM files.
public struct TLSFiles: Sendable, Equatable {
    /// The path of the certificate chain, the server's own first.
    public var certificate: String
    /// The path of the private key, without a passphrase.
    public var key: String

    /// Two files, read when the server starts.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
