import CloudClient
import Foundation
import Wire

/// The phases of a live view, as a value: an event goes in, the actions to take come out.
///
/// It touches nothing and knows no clock. Whoever drives it holds it behind a lock, passes the time in, and takes the
/// actions in order when the lock is gone. Events of an attempt that is over and of timers that were stopped are
/// recognised by their numbers and change nothing. The drawing is in `docs/guide/live-view.md`.
struct LiveViewMachine: Sendable {
    /// The times of seed 004, and those that go beyond it.
    enum Limit {
        /// From the beginning of an attempt to its first frame.
        static let connecting = Duration.seconds(30)
        /// Between two frames.
        static let frame = Duration.seconds(15)
        /// After this long with frames, earlier failures are forgotten.
        static let healthy = Duration.seconds(10)
        /// The longest pause before an attempt.
        static let pause = Duration.seconds(30)
    }

    enum Timer: Sendable, Hashable {
        case connecting, frames, pause, autoDisconnect
    }

    enum Event: Sendable {
        case connect(autoDisconnect: Duration?)
        case disconnect
        case terminate
        /// Something of the attempt with this number.
        case attempt(Int, AttemptEvent)
        /// The answer to ``Action/ask(attempt:)``.
        case device(attempt: Int, Result<DeviceModel, CloudError>)
        /// A timer has run out. `lastFrame` is when the newest frame of the attempt came, if there is one.
        case fired(Timer, number: Int, lastFrame: Duration?)
        case wakeUp
    }

    enum AttemptEvent: Sendable {
        /// Media can flow.
        case reached
        case firstFrame
        case channel(isOpen: Bool)
        case message(Data)
        /// It did not come about, or broke.
        case failed(LiveViewError)
    }

    enum Action: Sendable, Equatable {
        /// Make a connection, and report with this number.
        case open(attempt: Int)
        /// Drop the attempt, say goodbye if there is a channel and somebody to hear it, and end its session.
        case close(attempt: Int, goodbye: Bool)
        case start(Timer, number: Int, Duration)
        case stop(Timer)
        /// Read the device's record.
        case ask(attempt: Int)
        case send(DataChannelMessage, attempt: Int)
        case tell(LiveViewEvent)
        case publish(DataChannelMessage)
    }

    /// Where the view stands after a step.
    struct Standing: Sendable {
        /// The newest step.
        var step: Int
        /// What ``LiveViewModel/connected()`` has to say at once; nil while a connection is being made.
        var outcome: Result<Void, LiveViewError>?
    }

    private enum Phase: Sendable, Equatable {
        case idle
        /// An attempt is being made; `isReached` once media can flow.
        case opening(isReached: Bool)
        case live(since: Duration)
        /// The device's record is being read.
        case asking
        case pausing(next: Next)
    }

    private enum Next: Sendable, Equatable { case open, ask }

    /// Reconnection is on at -1 and off at any other value.
    var retryCount = -1
    /// Whether the camera is a sleeper that is told to stay awake.
    var wakesUp = false

    /// How many events were taken. What is told carries the number of its step, for it is heard later, when the view may
    /// stand elsewhere already.
    private(set) var step = 0
    private(set) var connectionState = LiveConnectionState.none
    private(set) var isChannelOpen = false
    private(set) var lastError: LiveViewError?
    /// The attempt whose frames are wanted; nil while there is none.
    var currentAttempt: Int? {
        switch phase {
        case .opening, .live: attempt
        case .idle, .asking, .pausing: nil
        }
    }
    var standing: Standing {
        let outcome: Result<Void, LiveViewError>? =
            switch connectionState {
            case .connected: .success(())
            case .initiated: nil
            case .none: .failure(.disconnected)
            case .failed: .failure(lastError ?? .disconnected)
            }
        return Standing(step: step, outcome: outcome)
    }
    /// From ``Event/connect(autoDisconnect:)`` to the first frame after it.
    private(set) var firstFrameDuration: Duration?

    private let jitter: @Sendable () -> Double
    private var phase = Phase.idle
    private var attempt = 0
    private var failures = 0
    private var connectedAt: Duration?
    private var running: [Timer: Int] = [:]
    private var framesStartedAt = Duration.zero
    private var lastNumber = 0

    /// - Parameter jitter: Gives numbers from 0 up to 1 that shorten pauses by up to half.
    init(jitter: @escaping @Sendable () -> Double) { self.jitter = jitter }

    /// Takes an event.
    /// - Parameter now: The time on a clock that only goes forward.
    /// - Returns: What to do, in order.
    mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        step += 1
        switch event {
        case .connect(let autoDisconnect): return connect(autoDisconnect, now)
        case .disconnect: return tearDown(.none)
        case .terminate: return tearDown(.failed)
        case .attempt(attempt, let event): return handle(event, now)
        case .device(attempt, let result) where phase == .asking: return deviceArrived(result, now)
        case .fired(let timer, let number, let lastFrame) where running[timer] == number:
            running[timer] = nil
            return fired(timer, lastFrame, now)
        case .wakeUp: return wakesUp && isChannelOpen ? [.send(.wakeUp(reason: "live_start"), attempt: attempt)] : []
        case .attempt, .device, .fired: return []
        }
    }

    // MARK: - Calls

    private mutating func connect(_ autoDisconnect: Duration?, _ now: Duration) -> [Action] {
        var actions = [Action]()
        switch phase {
        case .opening, .live: break
        case .idle, .asking, .pausing:
            failures = 0
            connectedAt = now
            firstFrameDuration = nil
            lastError = nil
            actions += stop(.pause) + open()
        }
        actions += stop(.autoDisconnect)
        if let autoDisconnect { actions.append(start(.autoDisconnect, autoDisconnect)) }
        return actions
    }

    private mutating func tearDown(_ state: LiveConnectionState) -> [Action] {
        let wasActive = phase != .idle
        let actions = dropAttempt(goodbye: true) + stop(.pause) + stop(.autoDisconnect)
        phase = .idle
        connectionState = state
        return actions + (wasActive ? [.tell(.terminated)] : [])
    }

    // MARK: - An attempt

    private mutating func open() -> [Action] {
        attempt += 1
        phase = .opening(isReached: false)
        connectionState = .initiated
        return [.open(attempt: attempt), start(.connecting, Limit.connecting)]
    }

    private mutating func handle(_ event: AttemptEvent, _ now: Duration) -> [Action] {
        switch (phase, event) {
        case (.opening(isReached: false), .reached):
            phase = .opening(isReached: true)
            return [watchFrames(now)]
        case (.opening(let isReached), .firstFrame):
            phase = .live(since: now)
            connectionState = .connected
            if firstFrameDuration == nil, let connectedAt { firstFrameDuration = now - connectedAt }
            return stop(.connecting) + (isReached ? [] : [watchFrames(now)]) + [.tell(.connected)]
        case (.opening, .channel(let isOpen)), (.live, .channel(let isOpen)): return channel(isOpen)
        case (.opening, .message(let data)), (.live, .message(let data)): return message(data, now)
        case (.opening, .failed(let error)), (.live, .failed(let error)): return failed(error, now)
        default: return []
        }
    }

    private mutating func channel(_ isOpen: Bool) -> [Action] {
        guard isOpen != isChannelOpen else { return [] }
        isChannelOpen = isOpen
        let wakeUp: [Action] = isOpen && wakesUp ? [.send(.wakeUp(reason: "live_start"), attempt: attempt)] : []
        return wakeUp + [.tell(.dataChannelOpen(isOpen))]
    }

    private mutating func message(_ data: Data, _ now: Duration) -> [Action] {
        guard let message = DataChannelMessage(decoding: data) else { return [.tell(.dataChannelMessage(data))] }
        switch message {
        case .rssi, .temperature, .humidity: return [.publish(message)]
        case .streamEnded(let reason):
            return lose(.streamEnded(reason: reason), .tell(.streamEnded(reason: reason)), now)
        case .streamFailed(let reason):
            return lose(.streamFailed(reason: reason), .tell(.streamFailed(reason: reason)), now)
        case .wakeUp, .goodbye: return [.tell(.dataChannelMessage(data))]
        }
    }

    private mutating func failed(_ error: LiveViewError, _ now: Duration) -> [Action] {
        guard error.mayPass else { return dropAttempt(goodbye: false) + giveUp(error) }
        let reason = if case .streamFailed(let reason) = error { reason } else { error.description }
        return lose(error, .tell(.streamFailed(reason: reason)), now)
    }

    /// Ends the attempt and forgets what belongs to it.
    private mutating func dropAttempt(goodbye: Bool) -> [Action] {
        guard let attempt = currentAttempt else { return [] }
        var actions = stop(.connecting) + stop(.frames) + [.close(attempt: attempt, goodbye: goodbye && isChannelOpen)]
        actions += channel(false)
        return actions
    }

    // MARK: - Losing it, and getting it back

    private mutating func lose(_ error: LiveViewError, _ tell: Action, _ now: Duration) -> [Action] {
        if case .live(let since) = phase, now - since >= Limit.healthy { failures = 0 }
        failures += 1
        let actions = dropAttempt(goodbye: false) + [tell]
        guard retryCount == -1 else { return actions + giveUp(error) }
        lastError = error
        return actions + ask()
    }

    private mutating func ask() -> [Action] {
        phase = .asking
        connectionState = .initiated
        return [.ask(attempt: attempt)]
    }

    private mutating func deviceArrived(_ result: Result<DeviceModel, CloudError>, _ now: Duration) -> [Action] {
        switch result {
        case .success(let device):
            let refreshed = Action.tell(.deviceRefreshed(device))
            guard !device.privacy else { return [refreshed] + giveUp(.privacy) }
            guard device.online || device.asleep else { return [refreshed] + giveUp(.cameraOffline) }
            let pause = pauseBeforeAttempt
            guard pause > .zero else { return [refreshed, .tell(.reconnecting)] + open() }
            phase = .pausing(next: .open)
            return [refreshed, start(.pause, pause)]
        case .failure(let error) where error.isTransient:
            failures += 1
            phase = .pausing(next: .ask)
            return [start(.pause, pauseBeforeAttempt)]
        case .failure(let error): return giveUp(.cloud(error))
        }
    }

    private mutating func giveUp(_ error: LiveViewError) -> [Action] {
        phase = .idle
        connectionState = .failed
        lastError = error
        return stop(.autoDisconnect) + [.tell(.error(error))]
    }

    /// Nothing after the first failure, as the seed has it; then 1 s, 2 s and so on, up to a limit, less up to a half.
    private var pauseBeforeAttempt: Duration {
        guard failures > 1 else { return .zero }
        let full = min(Limit.pause, .seconds(1 << min(failures - 2, 5)))
        return full * (1 - jitter() / 2)
    }

    // MARK: - Timers

    private mutating func fired(_ timer: Timer, _ lastFrame: Duration?, _ now: Duration) -> [Action] {
        switch timer {
        case .connecting:
            return lose(.connectTimedOut(after: Limit.connecting), .tell(.timedOut), now)
        case .frames:
            let quiet = now - max(lastFrame ?? .zero, framesStartedAt)
            if quiet < Limit.frame { return [start(.frames, Limit.frame - quiet)] }
            return lose(.frameTimedOut(after: Limit.frame), .tell(.frameTimedOut), now)
        case .pause:
            guard case .pausing(let next) = phase else { return [] }
            return next == .ask ? ask() : [.tell(.reconnecting)] + open()
        case .autoDisconnect: return tearDown(.none)
        }
    }

    private mutating func watchFrames(_ now: Duration) -> Action {
        framesStartedAt = now
        return start(.frames, Limit.frame)
    }

    private mutating func start(_ timer: Timer, _ duration: Duration) -> Action {
        lastNumber += 1
        running[timer] = lastNumber
        return .start(timer, number: lastNumber, duration)
    }

    private mutating func stop(_ timer: Timer) -> [Action] {
        running.removeValue(forKey: timer) == nil ? [] : [.stop(timer)]
    }
}
