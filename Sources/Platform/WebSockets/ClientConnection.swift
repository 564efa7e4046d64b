import Basics
public import Foundation

/// One attempt to open a WebSocket: addresses one after the other, then the opening handshake.
///
/// The outcome lies in one `Locked`; the rest is touched on the service thread only, hence `@unchecked Sendable`.
final class ClientConnection: TransportHandler, @unchecked Sendable {
    /// Where to, taken from the URL.
    struct Destination: Sendable {
        var host: String
        var port: Int
        var isSecure: Bool
        /// Path and query, encoded.
        var target: String
        /// For the `Host` field.
        var authority: String
        /// For errors: without query and credentials, which may be secrets.
        var display: String

        init(_ url: URL) throws(WebSocketsError) {
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) ?? URLComponents()
            let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
            target = path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
            (parts.query, parts.fragment, parts.user, parts.password) = (nil, nil, nil, nil)
            display = parts.string ?? ""
            let scheme = parts.scheme?.lowercased() ?? ""
            guard ["ws", "wss"].contains(scheme), let host = parts.host, !host.isEmpty else {
                throw .invalidURL(display)
            }
            isSecure = scheme == "wss"
            port = parts.port ?? (isSecure ? 443 : 80)
            guard (1...65535).contains(port) else { throw .invalidURL(display) }
            self.host = host.trimmingCharacters(in: ["[", "]"])
            let bracketed = self.host.contains(":") ? "[\(self.host)]" : self.host
            authority = parts.port == nil ? bracketed : "\(bracketed):\(port)"
        }
    }

    /// The loop of all client sockets of the process: started with the first, and never ended, as sockets come and go.
    static let loop = ServiceLoop(.poll)

    private struct Outcome {
        var result: Result<WebSocket, WebSocketsError>?
        var waiter: CheckedContinuation<Result<WebSocket, WebSocketsError>, Never>?
    }

    private let destination: Destination
    private let headers: HTTPFields
    private let configuration: ClientConfiguration
    private let outcome = Locked(Outcome())
    private let key = WebSocketHandshake.makeKey()
    private var addresses: [String] = []
    private var transport: Transport?
    private var input: [UInt8] = []
    private var lastReason = "it has no address"

    init(_ destination: Destination, headers: HTTPFields, configuration: ClientConfiguration) {
        self.destination = destination
        self.headers = headers
        self.configuration = configuration
    }

    // MARK: From the connecting task

    /// Connects, within the timeout.
    func open() async throws(WebSocketsError) -> WebSocket {
        let limit = Task { [self, clock = configuration.clock] in
            do { try await clock.sleep(for: configuration.connectTimeout) } catch { return }
            settle(.failure(.timeout))
        }
        defer { limit.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early = outcome.withLock { outcome in
                    if outcome.result == nil { outcome.waiter = continuation }
                    return outcome.result
                }
                if let early { continuation.resume(returning: early) } else { resolve() }
            }
        } onCancel: {
            settle(.failure(.cancelled))
        }
        return try result.get()
    }

    /// Looks the name up on a thread of its own: the resolver blocks for as long as it likes, and libwebsockets would ask
    /// it on the service thread.
    private func resolve() {
        Thread.detachNewThread { [self] in
            let addresses = NumericAddress.resolve(destination.host)
            guard !addresses.isEmpty else { return settle(.failure(.hostNotFound(host: destination.host))) }
            Task { [self] in
                guard await Self.loop.start() else {
                    return settle(.failure(failure("libwebsockets could not be set up")))
                }
                Self.loop.perform { [self] in
                    self.addresses = addresses
                    tryNext()
                }
            }
        }
    }

    /// The first result counts. After a failure the connection is dropped.
    private func settle(_ result: Result<WebSocket, WebSocketsError>) {
        let (waiter, isFirst) = outcome.withLock { outcome in
            guard outcome.result == nil else {
                return (nil as CheckedContinuation<Result<WebSocket, WebSocketsError>, Never>?, false)
            }
            outcome.result = result
            defer { outcome.waiter = nil }
            return (outcome.waiter, true)
        }
        waiter?.resume(returning: result)
        if isFirst, case .failure = result {
            Self.loop.perform { [self] in
                addresses = []
                transport?.drop()
            }
        }
    }

    private func failure(_ reason: String) -> WebSocketsError {
        .cannotConnect(url: destination.display, reason: reason)
    }

    // MARK: On the service thread

    private func tryNext() {
        guard outcome.withLock({ $0.result == nil }) else { return }
        guard !addresses.isEmpty else { return settle(.failure(failure(lastReason))) }
        let address = addresses.removeFirst()
        input = []
        var tls: TLSClient?
        if destination.isSecure {
            guard let authorities = Self.loop.authorities(configuration.caFile) else {
                let file = configuration.caFile ?? "the system's store"
                return settle(.failure(failure("the authorities in \(file) cannot be read")))
            }
            tls = TLSClient(authorities, host: destination.host, now: .now)
            guard tls != nil else { return settle(.failure(failure("TLS is not usable for this host"))) }
        }
        let opened = Self.loop.connect(address, port: destination.port, tls: tls, handler: self)
        if let opened { transport = opened }
    }

    func transportOpened() {
        transport?.write(
            WebSocketHandshake.request(
                target: destination.target, host: destination.authority, key: key, headers: headers))
    }

    func transportReceived(_ bytes: UnsafeRawBufferPointer) {
        input.append(contentsOf: bytes)
        switch WebSocketHandshake.answer(input, key: key) {
        case .incomplete: break
        case .refused(let status): settle(.failure(.refused(status: status)))
        case .malformed(let reason): settle(.failure(failure(reason)))
        case .accepted(let rest): accepted(rest)
        }
    }

    private func accepted(_ rest: [UInt8]) {
        guard let transport else { return }
        let link = WebSocketLink(
            transport, isServer: false,
            limits: .init(
                messageBytes: configuration.maximumMessageBytes, queuedBytes: configuration.maximumQueuedBytes,
                keepAlive: configuration.keepAlive, closeTimeout: configuration.closeTimeout))
        transport.handler = link
        self.transport = nil
        // If the caller has given up meanwhile, the socket is let go here, which closes it.
        settle(.success(WebSocket(link)))
        link.begin(with: rest)
    }

    func transportWrote() {}

    func transportTimerFired() {}

    func transportClosed(reason: String) {
        transport = nil
        lastReason = reason
        tryNext()
    }
}

extension WebSocket {
    /// Opens a WebSocket, `ws://` or `wss://`.
    /// - Parameters:
    ///   - url: Where to; credentials in it are not sent.
    ///   - headers: More fields for the request, such as `Authorization`.
    ///   - configuration: Timeouts and limits.
    /// - Throws: ``WebSocketsError``: a bad URL, no such host, no connection, a refusal with its HTTP status, a timeout, or
    ///   ``WebSocketsError/cancelled``.
    public static func connect(
        to url: URL, headers: HTTPFields = [:], configuration: ClientConfiguration = .init()
    ) async throws(WebSocketsError) -> WebSocket {
        let destination = try ClientConnection.Destination(url)
        return try await ClientConnection(destination, headers: headers, configuration: configuration).open()
    }
}
