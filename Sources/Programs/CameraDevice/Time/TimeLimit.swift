/// Runs `work`, and cancels it when it has not returned after `limit` on `clock`.
/// - Returns: What `work` returned, or nil when the time ran out or the caller was cancelled. It is waited for in both
///   cases, so `work` must answer cancellation.
func limited<Result: Sendable>(
    to limit: Duration, on clock: any Clock<Duration>, _ work: @escaping @Sendable () async -> Result
) async -> Result? {
    await withTaskGroup(of: Result?.self) { group in
        group.addTask { await work() }
        group.addTask {
            try? await clock.sleep(for: limit)
            return nil
        }
        let first = await group.next() ?? nil
        group.cancelAll()
        return first
    }
}

/// Time that has passed on a clock since this was made.
struct Stopwatch: Sendable {
    private let reading: @Sendable () -> Duration

    /// Starts now.
    init(_ clock: any Clock<Duration>) { reading = Self.reading(from: clock) }

    /// The time since the start.
    var elapsed: Duration { reading() }

    private static func reading(from clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
