import Foundation

/// The side of a ``WebSocket`` that lives on the service thread: frames, pings, and the closing handshake of RFC 6455
/// section 7.
///
/// Touched on that thread only, hence `@unchecked Sendable`; what the other side needs is in ``inbox`` and ``outbox``.
final class WebSocketLink: TransportHandler, @unchecked Sendable {
    /// What the socket accepts.
    struct Limits: Sendable {
        var messageBytes: Int
        var queuedBytes: Int
        var keepAlive: Duration
        var closeTimeout: Duration
    }

    private enum Phase {
        case open
        /// We have sent a close frame and wait for the peer's.
        case closing
        /// Both close frames are out; only the connection is left to be closed.
        case finished
    }

    let inbox: MessageInbox
    let outbox: MessageOutbox
    let loop: ServiceLoop
    let isServer: Bool

    private let transport: Transport
    private let limits: Limits
    private let beginning = ContinuousClock.now
    private var decoder: WebSocketFrameDecoder
    private var keepAlive: KeepAlive
    private var phase = Phase.open
    private var isReadingPaused = false

    init(_ transport: Transport, isServer: Bool, limits: Limits) {
        self.transport = transport
        self.isServer = isServer
        self.limits = limits
        let loop = transport.loop
        self.loop = loop
        outbox = MessageOutbox(capacity: limits.queuedBytes)
        let resume = Resumption()
        inbox = MessageInbox(capacity: max(limits.messageBytes, limits.queuedBytes)) {
            loop.perform { resume.link?.resumeReading() }
        }
        decoder = WebSocketFrameDecoder(maximumMessageBytes: limits.messageBytes, expectsMask: isServer)
        keepAlive = KeepAlive(interval: limits.keepAlive, now: .zero)
        resume.link = self
    }

    /// Breaks the cycle between the inbox and its link. Set once, before the link is shared, and then read on the service
    /// thread, hence `@unchecked Sendable`.
    private final class Resumption: @unchecked Sendable {
        weak var link: WebSocketLink?
    }

    private var now: Duration { ContinuousClock.now - beginning }

    /// Starts, with the bytes that came behind the opening handshake.
    func begin(with rest: [UInt8]) {
        beat()
        decoder.append(rest)
        readFrames()
    }

    /// Sends what tasks have queued.
    func flush() {
        for frame in outbox.take() where phase == .open { transport.write(frame) }
        outbox.setBytesInTransport(transport.queuedBytes)
    }

    /// Begins the closing handshake, behind what has been sent so far.
    func close(code: Int, reason: String) {
        guard phase == .open else { return }
        flush()
        phase = .closing
        outbox.finish(.closed(code: code, reason: reason))
        inbox.finish(.success(()))
        send(.close, WebSocketFrame.closePayload(code: code, reason: reason))
        resumeReading()
        transport.wake(after: limits.closeTimeout)
    }

    /// Gives the connection up at once.
    func abort(_ error: WebSocketsError) {
        phase = .finished
        end(.failure(error), sending: error)
        transport.drop()
    }

    // MARK: From the transport

    func transportOpened() {}

    func transportReceived(_ bytes: UnsafeRawBufferPointer) {
        keepAlive.heard(at: now)
        guard phase != .finished else { return }
        decoder.append(bytes)
        readFrames()
    }

    func transportWrote() { outbox.setBytesInTransport(transport.queuedBytes) }

    func transportTimerFired() {
        // A closing handshake that takes too long has ended for us already.
        if phase == .open { beat() } else { transport.drop() }
    }

    func transportClosed(reason: String) {
        phase = .finished
        let error = WebSocketsError.closed(code: 1006, reason: reason)
        end(.failure(error), sending: error)
    }

    // MARK: Inside

    private func beat() {
        // While we do not read we cannot hear either.
        if isReadingPaused { keepAlive.heard(at: now) }
        switch keepAlive.action(at: now) {
        case .dead: abort(.closed(code: 1006, reason: "the other side does not answer pings"))
        case .ping(let next):
            send(.ping, Data())
            transport.wake(after: next)
        case .wait(let delay): transport.wake(after: delay)
        }
    }

    private func readFrames() {
        while phase != .finished, !isReadingPaused, let event = decoder.next() {
            switch event {
            case .message(let message):
                guard phase == .open else { continue }
                if !inbox.push(message) { pauseReading() }
            case .ping(let payload):
                if phase == .open { send(.pong, payload) }
            case .pong: break
            case .close(let code, let reason): peerCloses(code: code, reason: reason)
            case .failure(let code, let reason): fail(code: code, reason: reason)
            }
        }
    }

    private func peerCloses(code: Int, reason: String) {
        let closed = WebSocketsError.closed(code: code, reason: reason)
        end(code == 1000 || code == 1005 ? .success(()) : .failure(closed), sending: closed)
        if phase == .open { send(.close, WebSocketFrame.closePayload(code: code, reason: "")) }
        finish()
    }

    private func fail(code: Int, reason: String) {
        let error: WebSocketsError =
            code == 1009 ? .messageTooLarge(limit: limits.messageBytes) : .closed(code: code, reason: reason)
        end(.failure(error), sending: error)
        if phase == .open { send(.close, WebSocketFrame.closePayload(code: code, reason: reason)) }
        finish()
    }

    /// Both sides are done: a server ends the connection, a client waits for that (RFC 6455 section 7.1.1).
    private func finish() {
        phase = .finished
        resumeReading()
        if isServer { transport.finishSending() }
        transport.wake(after: limits.closeTimeout)
    }

    private func end(_ result: Result<Void, WebSocketsError>, sending error: WebSocketsError) {
        outbox.finish(error)
        inbox.finish(result)
    }

    private func send(_ opcode: WebSocketFrame.Opcode, _ payload: Data) {
        transport.write(
            WebSocketFrame.encode(opcode, payload, mask: isServer ? nil : .random(in: .min ... .max)))
        outbox.setBytesInTransport(transport.queuedBytes)
    }

    private func pauseReading() {
        isReadingPaused = true
        transport.pauseReading(true)
    }

    private func resumeReading() {
        guard isReadingPaused else { return }
        isReadingPaused = false
        transport.pauseReading(false)
        readFrames()
    }
}
