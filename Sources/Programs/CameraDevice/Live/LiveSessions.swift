import Basics
import Foundation
import WebRTC
import Wire

/// Everybody who watches: answers offers, sends measurements, and ends sessions.
///
/// All viewers share one track, so the picture is encoded once. A session begins with its offer and ends with the
/// viewer's goodbye, the cloud's word, a connection that fails or stays interrupted, or ``close(reason:)``. Whatever
/// becomes of a set-up, its place is free again afterwards.
actor LiveSessions {
    /// What happened, for the camera.
    enum Event: Sendable, Equatable {
        /// Media flows to one more viewer; the number counts it.
        case joined(session: String, viewers: Int)
        /// A viewer to whom media flowed is gone; the number counts those who stay.
        case left(session: String, viewers: Int)
        /// A session ended on the camera's side: the cloud has to be told.
        case ended(session: String)
    }

    /// An interruption that lasts this long ends the session.
    static let interruptionLimit: Duration = .seconds(30)
    /// An answered viewer that is not connected after this long is gone.
    static let connectLimit: Duration = .seconds(30)
    /// The answer is on its way this long before the cloud's deadline.
    static let answerMargin: Duration = .milliseconds(200)
    /// For the last message to leave before its channel is torn down.
    static let farewell: Duration = .milliseconds(150)

    private struct Session {
        /// Tells two sessions apart that had the same name one after the other.
        var number: Int
        var connection: LiveConnection?
        var isConnected = false
        /// Runs out on a viewer that is not, or no longer, connected.
        var patience: Task<Void, Never>?
        var measuring: Task<Void, Never>?
        var watching: Task<Void, Never>?
    }

    /// What happened, for one consumer; ends with ``close(reason:)``.
    nonisolated let events: AsyncStream<Event>
    private let yield: AsyncStream<Event>.Continuation

    private let factory: RTCPeerConnectionFactory
    private let capture: VideoCapture
    private let limits: CameraConfiguration.Limits
    private let networks: any NetworkJoiner
    private let sensors: any CameraSensors
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let log = Log("live")
    private var sessions: [String: Session] = [:]
    private var setUps = 0
    private var nextNumber = 0
    private var isClosed = false

    /// Nobody watches yet.
    init(_ factory: RTCPeerConnectionFactory, capture: VideoCapture, configuration: CameraConfiguration) {
        self.factory = factory
        self.capture = capture
        limits = configuration.limits
        networks = configuration.networks
        sensors = configuration.sensors
        interval = configuration.sensorInterval
        clock = configuration.clock
        (events, yield) = AsyncStream.makeStream()
    }

    /// How many places are taken, set-ups under way included.
    var count: Int { sessions.count }

    /// Answers a viewer's offer, all candidates included.
    func answer(to offer: LiveOffer) async -> Result<String, LiveRefusal> {
        let number: Int
        switch reserve(offer) {
        case .success(let reserved): number = reserved
        case .failure(let refusal): return .failure(refusal)
        }
        defer { setUps -= 1 }
        let result = await setUp(offer)
        let isWanted = sessions[offer.session]?.number == number && !Task.isCancelled
        switch result {
        case .success(let (connection, sdp)) where isWanted:
            begin(offer.session, connection)
            return .success(sdp)
        case .success(let (connection, _)):
            // The viewer has gone meanwhile, or the camera was stopped.
            release(offer.session, number)
            await connection.close()
            return .failure(LiveRefusal(reason: "The live session has ended already."))
        case .failure(let refusal):
            log.warning("an offer was not served: \(refusal.reason)")
            release(offer.session, number)
            return .failure(refusal)
        }
    }

    /// Ends a session on the cloud's word; one that is not known has ended already.
    func end(_ session: String) async { await remove(session, tellCloud: false) }

    /// Ends all sessions with a reason for people; others may follow.
    func endAll(_ message: DataChannelMessage) async {
        for session in Array(sessions.keys) { await remove(session, tellCloud: true, saying: message) }
    }

    /// Ends all sessions, and takes no others.
    func close(reason: String) async {
        guard !isClosed else { return }
        isClosed = true
        await withTaskGroup { group in
            for session in sessions.keys {
                group.addTask { await self.remove(session, tellCloud: true, saying: .streamEnded(reason: reason)) }
            }
        }
        yield.finish()
    }

    // MARK: Beginning

    private func reserve(_ offer: LiveOffer) -> Result<Int, LiveRefusal> {
        func refused(_ reason: String) -> Result<Int, LiveRefusal> { .failure(LiveRefusal(reason: reason)) }
        guard !isClosed else { return refused("The camera is stopping.") }
        guard sessions[offer.session] == nil else { return refused("This live session exists already.") }
        guard sessions.count < limits.viewers else {
            return refused("\(limits.viewers) people are watching, and the camera serves no more.")
        }
        guard setUps < limits.setUps else {
            return refused("The camera is busy with other viewers. Try again in a moment.")
        }
        guard offer.deadline > Self.answerMargin else { return refused("There is no time left to answer.") }
        nextNumber += 1
        sessions[offer.session] = Session(number: nextNumber)
        setUps += 1
        return .success(nextNumber)
    }

    private func release(_ session: String, _ number: Int) {
        if sessions[session]?.number == number { sessions[session] = nil }
    }

    /// Makes and negotiates a connection, off the actor.
    private nonisolated func setUp(_ offer: LiveOffer) async -> Result<(LiveConnection, String), LiveRefusal> {
        let connection: LiveConnection
        do {
            connection = try LiveConnection(factory, sending: capture.track, iceServers: offer.iceServers)
        } catch {
            return .failure(LiveRefusal(reason: error.description))
        }
        let answer: Result<String, LiveRefusal>? = await limited(
            to: offer.deadline - Self.answerMargin, on: clock
        ) {
            do {
                return .success(try await connection.answer(to: offer.sdp))
            } catch {
                return .failure(
                    LiveRefusal(reason: (error as? WebRTCError)?.description ?? "The set-up was cancelled."))
            }
        }
        switch answer {
        case .success(let sdp): return .success((connection, sdp))
        case .failure(let refusal):
            await connection.close()
            return .failure(refusal)
        case nil:
            await connection.close()
            return .failure(LiveRefusal(reason: "The camera could not answer in time."))
        }
    }

    private func begin(_ session: String, _ connection: LiveConnection) {
        sessions[session]?.connection = connection
        sessions[session]?.watching = Task { [weak self] in
            for await signal in connection.signals { await self?.received(signal, session) }
        }
        wait(Self.connectLimit, for: session)
    }

    // MARK: Going on

    private func received(_ signal: LiveConnection.Signal, _ session: String) async {
        guard sessions[session] != nil else { return }
        switch signal {
        case .connected:
            sessions[session]?.patience?.cancel()
            sessions[session]?.patience = nil
            guard sessions[session]?.isConnected == false else { return }
            sessions[session]?.isConnected = true
            yield.yield(.joined(session: session, viewers: viewers))
        case .interrupted:
            wait(Self.interruptionLimit, for: session)
        case .channelOpened:
            guard let connection = sessions[session]?.connection else { return }
            sessions[session]?.measuring = Task { [networks, sensors, clock, interval] in
                repeat {
                    if let rssi = await networks.signalStrength() { connection.send(.rssi(rssi)) }
                    if let temperature = await sensors.temperature() { connection.send(.temperature(temperature)) }
                    if let humidity = await sensors.humidity() { connection.send(.humidity(humidity)) }
                } while (try? await clock.sleep(for: interval)) != nil
            }
        case .goodbye, .lost:
            await remove(session, tellCloud: true)
        }
    }

    private var viewers: Int { sessions.values.count { $0.isConnected } }

    private func wait(_ limit: Duration, for session: String) {
        sessions[session]?.patience?.cancel()
        sessions[session]?.patience = Task { [weak self, clock] in
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            await self?.remove(session, tellCloud: true)
        }
    }

    // MARK: Ending

    private func remove(_ id: String, tellCloud: Bool, saying message: DataChannelMessage? = nil) async {
        // Out of the table first: whatever else ends it meanwhile finds nothing.
        guard let session = sessions.removeValue(forKey: id) else { return }
        session.patience?.cancel()
        session.measuring?.cancel()
        if session.isConnected { yield.yield(.left(session: id, viewers: viewers)) }
        if tellCloud { yield.yield(.ended(session: id)) }
        // Without a connection the set-up is under way, and cleans up when it notices.
        guard let connection = session.connection else { return }
        if let message, session.isConnected {
            connection.send(message)
            await flush(connection)
        }
        session.watching?.cancel()
        await connection.close()
    }

    private func flush(_ connection: LiveConnection) async {
        let watch = Stopwatch(clock)
        while connection.hasUnsentMessages, watch.elapsed < .milliseconds(500) {
            guard (try? await clock.sleep(for: .milliseconds(10))) != nil else { return }
        }
        // What has left the queue is not on the wire yet.
        try? await clock.sleep(for: Self.farewell)
    }
}
