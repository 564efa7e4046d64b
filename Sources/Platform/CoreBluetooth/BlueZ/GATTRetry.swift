/// When to ask again after a moment's trouble of an attribute, and when to let it be.
///
/// A request may wait for one of another program, which ATT allows 30 s; somebody who holds the attribute for longer keeps it.
struct GATTRetry: Sendable {
    private static let longestPause = Duration.milliseconds(160)

    private var pause = Duration.milliseconds(10)
    private var left = Duration.seconds(35)

    /// The pause before the next try; nil when it has been tried for long enough.
    mutating func next() -> Duration? {
        guard left > .zero else { return nil }
        defer {
            left -= pause
            pause = min(pause * 2, Self.longestPause)
        }
        return pause
    }
}
