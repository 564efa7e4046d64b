/// The pauses between attempts that fail one after the other: each longer than the one before, up to a limit.
///
/// Where many machines lose the same peer at the same moment, the caller draws a random part of each pause.
public struct Backoff: Sendable, Equatable {
    /// The longest pause.
    public let limit: Duration
    private let first: Duration
    private let factor: Int
    private var pause: Duration

    /// Begins with the first pause.
    /// - Parameters:
    ///   - first: The first pause, more than zero and at most `limit`.
    ///   - factor: How many times as long as the one before a pause is; at least 1.
    ///   - limit: The longest pause.
    public init(first: Duration, factor: Int = 2, limit: Duration) {
        precondition(
            first > .zero && first <= limit && factor >= 1, "no pauses: \(first), times \(factor), to \(limit)")
        self.first = first
        self.factor = factor
        self.limit = limit
        pause = first
    }

    /// The pause after one more failure.
    public mutating func next() -> Duration {
        defer { pause = min(pause * factor, limit) }
        return pause
    }

    /// Starts over, after a success.
    public mutating func reset() { pause = first }
}
