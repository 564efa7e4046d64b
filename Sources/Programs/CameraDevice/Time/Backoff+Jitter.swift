import Basics

/// The camera's pauses have full jitter: random(0, min(limit, 2ⁿ s)) before attempt n + 1. It spreads ten thousand cameras
/// that lost their cloud at the same moment over the whole interval.
extension Backoff {
    /// Starts with an interval of one second, which doubles up to `limit`.
    init(limit: Duration) { self.init(first: .seconds(1), limit: limit) }

    /// The wait after one more failure.
    mutating func next(_ random: SharedRandom) -> Duration { random.duration(upTo: next()) }
}
