/// Waiting times between attempts, with full jitter: random(0, min(limit, 2ⁿ s)) before attempt n + 1.
///
/// Full jitter spreads ten thousand cameras that lost their cloud at the same moment over the whole interval.
struct Backoff: Sendable {
    /// The longest interval.
    let limit: Duration
    private var failures = 0

    /// Starts with an interval of one second.
    init(limit: Duration) { self.limit = limit }

    /// The wait after one more failure.
    mutating func next(_ random: SharedRandom) -> Duration {
        // 2^20 s is beyond any limit in use; the cap keeps the shift defined.
        let interval = min(limit, .seconds(1 << min(failures, 20)))
        failures += 1
        return random.duration(upTo: interval)
    }

    /// Starts over, after a success.
    mutating func reset() { failures = 0 }
}
