/// Asks the same question at intervals, within a budget that begins with the first.
struct Poll<Answer: Sendable>: Sendable {
    private let interval: Duration
    private let budget: Duration
    private let clock: any Clock<Duration>
    private let ask: @Sendable () async throws(CloudError) -> Answer
    private var stopwatch: Stopwatch?

    init(
        interval: Duration, budget: Duration, clock: any Clock<Duration>,
        _ ask: @escaping @Sendable () async throws(CloudError) -> Answer
    ) {
        self.interval = interval
        self.budget = budget
        self.clock = clock
        self.ask = ask
    }

    /// The next answer: the first at once, later ones an interval after the one before.
    mutating func next() async throws(PairingSessionError) -> Answer {
        var isFirst = stopwatch == nil
        let stopwatch = self.stopwatch ?? Stopwatch(clock)
        self.stopwatch = stopwatch
        var lastError: CloudError?
        while true {
            if !isFirst {
                let left = budget - stopwatch.elapsed
                do { try await clock.sleep(for: min(interval, max(left, .zero))) } catch { throw .cloud(.cancelled) }
                if stopwatch.elapsed >= budget { throw .timedOut(after: budget, lastError: lastError) }
            }
            isFirst = false
            do throws(CloudError) {
                return try await ask()
            } catch {
                guard error.isTransient else { throw .cloud(error) }
                lastError = error
            }
        }
    }
}
