import Basics

/// When to ask again after a moment's trouble of an attribute, and when to let it be.
///
/// A request may wait for one of another program, which ATT allows 30 s; somebody who holds the attribute for longer keeps it.
struct GATTRetry: Sendable {
    private var backoff = Backoff(first: .milliseconds(10), limit: .milliseconds(160))
    private var left = Duration.seconds(35)

    /// The pause before the next try; nil when it has been tried for long enough.
    mutating func next() -> Duration? {
        guard left > .zero else { return nil }
        let pause = backoff.next()
        left -= pause
        return pause
    }
}
