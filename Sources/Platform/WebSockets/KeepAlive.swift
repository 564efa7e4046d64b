/// When to ping, and when to give the other side up. A value without a clock: the time is handed in.
struct KeepAlive {
    /// What is due.
    enum Action: Equatable {
        case ping(next: Duration)
        case dead
        case wait(Duration)
    }

    private let interval: Duration
    private var lastHeard: Duration
    private var nextPing: Duration

    /// - Parameters:
    ///   - interval: Between pings, ±10 % so that a thousand sockets opened at once do not ping at once for ever.
    ///   - now: Time since some fixed moment.
    ///   - jitter: −1 to 1.
    init(interval: Duration, now: Duration, jitter: Double = .random(in: -1...1)) {
        self.interval = interval * (1 + jitter / 10)
        lastHeard = now
        nextPing = now + self.interval
    }

    /// Any byte proves that the other side lives.
    mutating func heard(at now: Duration) { lastHeard = now }

    /// What to do now: the other side is dead after 1.5 intervals of silence.
    mutating func action(at now: Duration) -> Action {
        let deadline = lastHeard + interval * 1.5
        if now >= deadline { return .dead }
        guard now >= nextPing else { return .wait(min(nextPing, deadline) - now) }
        nextPing = now + interval
        return .ping(next: min(nextPing, deadline) - now)
    }
}
