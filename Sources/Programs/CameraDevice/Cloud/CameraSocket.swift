import Basics
import Foundation
import WebSockets
import Wire

/// A viewer's offer as the cloud hands it on.
struct LiveOffer: Sendable {
    /// Names the offer in its answer.
    var id: String
    /// Names the live session.
    var session: String
    var sdp: String
    var iceServers: [ICEServer]
    /// From receipt.
    var deadline: Duration
}

/// Why an offer is not served; the reason is for a person and holds nothing secret.
struct LiveRefusal: Error, Sendable, Equatable {
    var reason: String
}

/// What a camera socket calls. Calls come from the socket's tasks.
protocol CameraSocketHandler: Sendable {
    /// The cloud has proved the camera's key.
    func socketCameOnline() async
    /// The connection is down; the next attempt is due after the wait.
    func socketWentOffline(reason: String, retryIn wait: Duration) async
    /// Answers an offer. Cancelled when the connection is lost: then nobody waits for the answer.
    func answer(to offer: LiveOffer) async -> Result<String, LiveRefusal>
    /// The viewer of a session has gone.
    func sessionEnded(_ session: String) async
}

/// The camera's connection to its cloud: proves the key, takes offers, and connects again for as long as it runs.
///
/// A message that cannot be read closes the connection before the welcome; afterwards it is logged, without its content,
/// and ignored, so that a newer cloud may say more than this camera knows. State is behind one lock; ``run()`` is called
/// once.
final class CameraSocket: Sendable {
    /// Why ``run()`` returned.
    enum Ending: Sendable, Equatable {
        /// The cloud does not know the device any more: its owner has removed it.
        case removed
        /// The task was cancelled.
        case stopped
    }

    /// From connecting to the welcome.
    static let handshakeLimit: Duration = .seconds(20)
    /// The longest interval between attempts.
    static let reconnectLimit: Duration = .seconds(300)
    /// A connection that lasted this long was a good one: waits start over after it. A shorter one counts as a failure, so
    /// that a cloud that welcomes and falls over is not stormed.
    static let goodConnection: Duration = .seconds(60)
    /// The longest message, in bytes.
    static let maximumMessageBytes = 256 << 10
    /// The close code with which the cloud asks for a new connection at once.
    static let connectAgain = 4003
    /// A request to connect at once is heard after a connection of this length; else it is a failure like others.
    static let leastConnection: Duration = .seconds(1)
    /// Offers that are being answered at a time; the cloud is told at once that a further one must wait.
    static let offersUnderWay = 32

    private enum Outcome {
        case removed
        case goAway(Duration)
        case connectAgain
        case lost(String)
    }

    private struct State {
        var socket: WebSocket?
        var keepAlive: Duration = .seconds(55)
        var offers = 0
        /// Sessions that are being torn down on the cloud's word.
        var endings: [Int: Task<Void, Never>] = [:]
        var lastEnding = 0
    }

    private let address: URL
    private let identity: CameraIdentity
    private let clock: any Clock<Duration>
    private let random: SharedRandom
    private let handler: any CameraSocketHandler
    private let state = Locked(State())
    private let log = Log("camera socket")

    /// A socket to the cloud with this base address.
    init(
        cloud: URL, identity: CameraIdentity, clock: any Clock<Duration>, random: SharedRandom,
        handler: any CameraSocketHandler
    ) {
        address = cloud.cloudSocketRoute(CloudRoute.cameraSocket)
        self.identity = identity
        self.clock = clock
        self.random = random
        self.handler = handler
    }

    /// Connects, and connects again, until the device is removed or the task is cancelled. The sessions that the cloud
    /// ended are torn down when this returns.
    func run() async -> Ending {
        let ending = await connections()
        for tearDown in state.withLock({ Array($0.endings.values) }) { await tearDown.value }
        return ending
    }

    private func connections() async -> Ending {
        var backoff = Backoff(limit: Self.reconnectLimit)
        while !Task.isCancelled {
            let watch = Stopwatch(clock)
            let outcome = await connection()
            if Task.isCancelled { break }
            if watch.elapsed >= Self.goodConnection { backoff.reset() }
            let wait: Duration
            switch outcome {
            case .removed: return .removed
            case .goAway(let slot):
                wait = slot
                await handler.socketWentOffline(reason: "the cloud restarts", retryIn: wait)
            case .connectAgain:
                wait = watch.elapsed >= Self.leastConnection ? .zero : backoff.next(random)
                await handler.socketWentOffline(reason: "the cloud asks for a new connection", retryIn: wait)
            case .lost(let reason):
                wait = backoff.next(random)
                await handler.socketWentOffline(reason: reason, retryIn: wait)
            }
            try? await clock.sleep(for: wait)
        }
        return .stopped
    }

    /// Says that a session ended on the camera's side. Without a connection there is nobody to tell, and it is not told
    /// later: the cloud keeps the sessions of a camera that went away, so that a passing cut ends no view, and this one
    /// until its viewer leaves or newer ones take its place.
    func send(sessionEnded session: String) {
        guard let socket = state.withLock({ $0.socket }) else { return }
        send(.sessionEnded(session: session), on: socket)
    }

    /// One connection from its beginning to its end.
    private func connection() async -> Outcome {
        let socket: WebSocket
        do {
            var configuration = ClientConfiguration()
            configuration.maximumMessageBytes = Self.maximumMessageBytes
            configuration.keepAlive = state.withLock { $0.keepAlive }
            socket = try await WebSocket.connect(to: address, configuration: configuration)
        } catch {
            return .lost(error.description)
        }
        let outcome = await conversation(on: socket)
        state.withLock { $0.socket = nil }
        socket.close()
        return outcome
    }

    private func conversation(on socket: WebSocket) async -> Outcome {
        let result = Locked(Outcome.lost("the connection has ended"))
        await withDiscardingTaskGroup { group in
            let watchdog = Locked(true)
            group.addTask { [clock] in
                guard (try? await clock.sleep(for: Self.handshakeLimit)) != nil,
                    watchdog.withLock({ $0 })
                else { return }
                socket.close(code: 1002, reason: "no welcome in time")
            }
            send(.hello(deviceId: identity.deviceID, version: CameraSocketMessage.version), on: socket)
            do {
                reading: for try await message in socket.messages {
                    let isWelcome = watchdog.withLock { $0 } == false
                    guard let message = Self.decoded(message) else {
                        log.warning("a message of the cloud could not be read")
                        if isWelcome { continue }
                        result.withLock { $0 = .lost("the cloud speaks another language") }
                        break
                    }
                    switch message {
                    case .challenge(let nonce) where !isWelcome:
                        let signed = CameraSocketMessage.signedBytes(deviceId: identity.deviceID, nonce: nonce)
                        send(.proof(signature: identity.signature(for: signed)), on: socket)
                    case .welcome(let keepAlive) where !isWelcome:
                        watchdog.withLock { $0 = false }
                        state.withLock { state in
                            state.socket = socket
                            state.keepAlive = .seconds(min(300, max(5, keepAlive)))
                        }
                        await handler.socketCameOnline()
                    case .offer(let id, let session, let sdp, let iceServers, let deadline) where isWelcome:
                        let offer = LiveOffer(
                            id: id, session: session, sdp: sdp, iceServers: iceServers,
                            deadline: .milliseconds(min(60_000, max(0, deadline))))
                        take(offer, on: socket, in: &group)
                    case .endSession(let session) where isWelcome:
                        end(session)
                    case .goAway(let retryAfter):
                        result.withLock { $0 = .goAway(.milliseconds(min(300_000, max(0, retryAfter)))) }
                        break reading
                    case .refused(let error):
                        log.warning("the cloud refuses this camera: \(error.code)")
                        let isFinal = error.code == .notFound
                        result.withLock { $0 = isFinal ? .removed : .lost("the cloud refuses: \(error.code)") }
                        break reading
                    case .challenge, .welcome, .offer, .endSession:
                        log.warning("a message of the cloud came out of turn")
                        if isWelcome { continue }
                        result.withLock { $0 = .lost("the cloud speaks out of turn") }
                        break reading
                    }
                }
            } catch WebSocketsError.closed(Self.connectAgain, _) {
                result.withLock { $0 = .connectAgain }
            } catch {
                result.withLock { $0 = .lost((error as? WebSocketsError)?.description ?? "the connection failed") }
            }
            group.cancelAll()
        }
        return result.withLock { $0 }
    }

    private func take(_ offer: LiveOffer, on socket: WebSocket, in group: inout DiscardingTaskGroup) {
        let isAccepted = state.withLock { state in
            guard state.offers < Self.offersUnderWay else { return false }
            state.offers += 1
            return true
        }
        guard isAccepted else {
            return send(.failure(id: offer.id, reason: "The camera is busy. Try again in a moment."), on: socket)
        }
        group.addTask { [self] in
            let answer = await handler.answer(to: offer)
            state.withLock { $0.offers -= 1 }
            switch answer {
            case .success(let sdp): send(.answer(id: offer.id, sdp: sdp), on: socket)
            case .failure(let refusal): send(.failure(id: offer.id, reason: refusal.reason), on: socket)
            }
        }
    }

    /// Has a session torn down beside the reading, which goes on with other viewers' offers. The task outlives the
    /// connection: what began to end is ended.
    private func end(_ session: String) {
        state.withLock { state in
            state.lastEnding += 1
            state.endings[state.lastEnding] = Task { [self, number = state.lastEnding] in
                await handler.sessionEnded(session)
                self.state.withLock { $0.endings[number] = nil }
            }
        }
    }

    private func send(_ message: CameraSocketMessage, on socket: WebSocket) {
        do {
            try socket.send(.text(String(decoding: JSONEncoder().encode(message), as: UTF8.self)))
        } catch {
            // The reading side sees the same end and starts over.
            log.info("a message could not be sent: \((error as? WebSocketsError)?.description ?? "it does not encode")")
        }
    }

    private static func decoded(_ message: WebSocket.Message) -> CloudSocketMessage? {
        guard case .text(let text) = message else { return nil }
        return try? JSONDecoder().decode(CloudSocketMessage.self, from: Data(text.utf8))
    }
}
