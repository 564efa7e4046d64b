import Basics

/// The phases of this program's part in the daemon's discovery: what is wanted, what was asked for, what stands.
///
/// A value: it is told what happened and answers what to do. One request to the daemon is under way at a time.
struct DiscoverySession: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        /// No session, or none that is wanted.
        case off
        /// `StartDiscovery` waits for its answer.
        case starting
        /// The session stands.
        case running
        /// `StopDiscovery` waits for its answer.
        case stopping
        /// A failed start is tried again after a while.
        case pausing
    }

    enum Action: Equatable, Sendable {
        case start
        case stop
        case pause(Duration)
        /// Calls a pause off.
        case resume
    }

    private(set) var phase = Phase.off
    private(set) var isWanted = false
    /// Starts that failed, one after the other.
    private(set) var failures = 0
    private var backoff = Backoff.radio

    /// Says whether there shall be a session.
    mutating func want(_ wanted: Bool) -> [Action] {
        isWanted = wanted
        switch (phase, wanted) {
        case (.off, true): return [begin()]
        case (.running, false): return [end()]
        case (.pausing, false): return [.resume, end()]
        default: return []
        }
    }

    /// The answer to a start.
    mutating func started(_ succeeded: Bool) -> [Action] {
        guard phase == .starting else { return [] }
        if succeeded {
            succeed()
            phase = .running
            return isWanted ? [] : [end()]
        }
        failures += 1
        // A start fails also because there is a session already.
        guard isWanted else { return [end()] }
        phase = .pausing
        return [.pause(backoff.next())]
    }

    /// The answer to a stop, whatever it is: an error says that there was no session.
    mutating func stopped() -> [Action] {
        guard phase == .stopping else { return [] }
        phase = .off
        guard isWanted else {
            succeed()
            return []
        }
        return [begin()]
    }

    /// A pause is over.
    mutating func paused() -> [Action] {
        guard phase == .pausing else { return [] }
        // The daemon may hold half a session after a failed start: it is ended before the next one.
        return [end()]
    }

    /// The session has died without a word, or is suspected of it: it is ended and begun again.
    mutating func revive() -> [Action] { phase == .running ? [end()] : [] }

    /// The session went with the daemon, the adapter or its power: nobody has to be told.
    mutating func lost() { self = DiscoverySession() }

    private mutating func succeed() {
        failures = 0
        backoff.reset()
    }

    private mutating func begin() -> Action {
        phase = .starting
        return .start
    }

    private mutating func end() -> Action {
        phase = .stopping
        return .stop
    }
}
