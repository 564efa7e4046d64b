import Foundation

/// One accepted connection while it speaks HTTP: reads a request, has it answered, writes the response, and again.
///
/// Touched on the service thread only, hence `@unchecked Sendable`: the task that answers comes back by a command.
final class HTTPConnection: TransportHandler, ConnectionRoster.Member, @unchecked Sendable {
    private enum Phase: Equatable {
        /// Waiting for a request, or in the middle of one.
        case reading
        /// A task works out the response.
        case responding
        /// More of responses waits to be written than the next request should add to.
        case draining
        /// The last response is written; what still comes is thrown away until the client closes.
        case lingering
    }

    private enum Timer: Equatable { case idle, header, body }

    /// What a client may send ahead while its request is being answered.
    private static let readAhead = 64 << 10

    private let transport: Transport
    private let configuration: HTTPServer.Configuration
    private let service: any HTTPService
    private let roster: ConnectionRoster
    private var parser: HTTPRequestParser
    private var phase = Phase.reading
    private var timer: Timer?
    private var task: Task<Void, Never>?

    init(
        _ transport: Transport, configuration: HTTPServer.Configuration, service: any HTTPService,
        roster: ConnectionRoster
    ) {
        self.transport = transport
        self.configuration = configuration
        self.service = service
        self.roster = roster
        parser = HTTPRequestParser(
            limits: .init(
                headerBytes: configuration.maximumHeaderBytes, bodyBytes: configuration.maximumBodyBytes),
            remoteAddress: transport.remoteAddress)
        roster.add(self)
        // TLS has no bytes for us until its handshake is over, so this bounds the handshake as well.
        set(.idle)
    }

    // MARK: From the transport

    func transportOpened() {}

    func transportReceived(_ bytes: UnsafeRawBufferPointer) {
        guard phase != .lingering else { return }
        parser.append(bytes)
        if phase == .reading {
            readOn()
        } else if parser.bufferedBytes > Self.readAhead {
            transport.pauseReading(true)
        }
    }

    func transportWrote() {
        switch phase {
        case .draining where transport.queuedBytes == 0:
            phase = .reading
            timer = nil
            readOn()
        case .draining: transport.wake(after: configuration.idleTimeout)
        case .reading, .responding, .lingering: break
        }
    }

    func transportTimerFired() {
        switch phase {
        case .reading where timer == .idle, .draining, .lingering: transport.drop()
        case .reading:
            let what = timer == .body ? "body" : "header"
            finish(.failure(408, code: "timeout", message: "the request's \(what) took too long"))
        case .responding: break
        }
    }

    func transportClosed(reason: String) {
        task?.cancel()
        task = nil
        roster.remove(self)
    }

    func serverStops() {
        task?.cancel()
        if phase == .responding || transport.queuedBytes == 0 { transport.drop() } else { linger() }
    }

    // MARK: Requests

    private func readOn() {
        transport.pauseReading(false)
        while phase == .reading {
            switch parser.next() {
            case .idle: return set(.idle)
            case .needsHead: return set(.header)
            case .needsBody: return set(.body)
            case .awaitsContinue: transport.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            case .request(let request, let closes): begin(request, closes: closes)
            case .failure(let response): finish(response)
            }
        }
    }

    /// Starts a timer, unless it runs already: bytes that trickle in do not prolong it.
    private func set(_ timer: Timer) {
        guard timer != self.timer else { return }
        self.timer = timer
        let limit =
            switch timer {
            case .idle: configuration.idleTimeout
            case .header: configuration.headerTimeout
            case .body: configuration.bodyTimeout
            }
        transport.wake(after: limit)
    }

    private func begin(_ request: HTTPRequest, closes: Bool) {
        timer = nil
        transport.wake(after: nil)
        switch WebSocketHandshake.judge(request) {
        case .refuse(let response): return finish(response)
        case .accept(let key):
            if let refusal = service.refuseUpgrade(of: request) { return write(refusal, for: request, closes: closes) }
            return upgrade(request, accept: key)
        case .plain: break
        }
        phase = .responding
        task = Task { [service, transport] in
            let response = await service.respond(to: request)
            transport.loop.perform { [weak self] in self?.answered(response, for: request, closes: closes) }
        }
    }

    private func answered(_ response: HTTPResponse, for request: HTTPRequest, closes: Bool) {
        task = nil
        guard phase == .responding, !transport.isClosed else { return }
        phase = .reading
        write(response, for: request, closes: closes)
        readOn()
    }

    private func write(_ response: HTTPResponse, for request: HTTPRequest, closes: Bool) {
        let closing = closes || response.headers.contains("close", in: "Connection")
        let (head, body) = response.encoded(isHead: request.method == "HEAD", closing: closing, date: .now)
        transport.write(head)
        transport.write(body)
        if closing { return linger() }
        phase = .draining
        transport.wake(after: configuration.idleTimeout)
    }

    /// Refuses a request and ends the connection: what follows a malformed request cannot be told from its rest.
    private func finish(_ response: HTTPResponse) {
        let (head, body) = response.encoded(isHead: false, closing: true, date: .now)
        transport.write(head)
        transport.write(body)
        linger()
    }

    private func linger() {
        phase = .lingering
        transport.pauseReading(false)
        transport.finishSending()
        transport.wake(after: configuration.closeTimeout)
    }

    private func upgrade(_ request: HTTPRequest, accept: String) {
        var response = HTTPResponse(status: 101)
        response.headers = ["Upgrade": "websocket", "Sec-WebSocket-Accept": accept]
        transport.write(response.encoded(isHead: true, closing: false, date: .now).head)
        let link = WebSocketLink(
            transport, isServer: true,
            limits: .init(
                messageBytes: configuration.maximumMessageBytes, queuedBytes: configuration.maximumQueuedBytes,
                keepAlive: configuration.keepAlive, closeTimeout: configuration.closeTimeout))
        let socket = WebSocket(link)
        let rest = parser.takeRest()
        roster.remove(self)
        transport.handler = link
        phase = .lingering
        let session = Session(link, roster: roster)
        session.task = Task { [service] in
            await service.serve(socket, request: request)
            socket.close()
            socket.perform { session.end() }
        }
        link.begin(with: rest)
    }

    /// A WebSocket and the task that serves it, while either lives. Touched on the service thread only.
    private final class Session: ConnectionRoster.Member, @unchecked Sendable {
        var task: Task<Void, Never>?
        private let link: WebSocketLink
        private let roster: ConnectionRoster

        init(_ link: WebSocketLink, roster: ConnectionRoster) {
            self.link = link
            self.roster = roster
            roster.add(self)
        }

        func serverStops() {
            link.close(code: 1001, reason: "the server stops")
            task?.cancel()
        }

        func end() { roster.remove(self) }
    }
}
