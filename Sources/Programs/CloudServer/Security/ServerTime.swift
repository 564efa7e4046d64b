import Foundation

/// Milliseconds since 1970, as stored.
struct Timestamp: Sendable, Hashable, Comparable, RawRepresentable {
    let rawValue: Int64

    init(rawValue: Int64) { self.rawValue = rawValue }
    init(_ date: Date) { rawValue = Int64((date.timeIntervalSince1970 * 1000).rounded(.down)) }

    static func < (left: Timestamp, right: Timestamp) -> Bool { left.rawValue < right.rawValue }
    static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(rawValue: time.rawValue + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}

/// The server's time, which does not go backwards.
///
/// It starts at the time of day and from then on follows the monotonic clock, so that setting the machine's clock by a day
/// neither revives nor ends a key. It never starts before the newest time in the store: with a clock that was set back
/// while the server was down, an old key still ends, at the latest one key's life after the restart.
struct ServerTime: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let start: Timestamp

    init(clock: any Clock<Duration>, wallTime: Date, notBefore newest: Timestamp?) {
        elapsed = Self.stopwatch(clock)
        start = max(Timestamp(wallTime), newest ?? Timestamp(rawValue: 0))
    }

    var now: Timestamp { start + elapsed() }

    private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
