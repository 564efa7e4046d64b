import Basics
import Dispatch

/// Real time, whose sleepers leave nothing behind when they are cancelled.
///
/// `Task.sleep` keeps a job until its deadline, also when nobody waits any more: memory that looks like a leak to a test
/// that measures.
public final class TimerClock: Clock, Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, any Error>?
        var isCancelled = false
    }

    private let real = ContinuousClock()
    private let queue = DispatchQueue(label: "test.clock")

    /// The real time.
    public init() {}

    /// The current moment.
    public var now: ContinuousClock.Instant { real.now }
    /// That of the real clock.
    public var minimumResolution: Duration { real.minimumResolution }

    /// Suspends until the deadline.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration? = nil) async throws {
        let state = Locked(State())
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let wait = real.now.duration(to: deadline)
        timer.schedule(deadline: .now() + .nanoseconds(Int(wait / .nanoseconds(1))))
        timer.setEventHandler { state.withLock { $0.continuation.take() }?.resume() }
        timer.activate()
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isCancelled = state.withLock { state in
                    if !state.isCancelled { state.continuation = continuation }
                    return state.isCancelled
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.isCancelled = true
                return state.continuation.take()
            }
            waiting?.resume(throwing: CancellationError())
        }
    }
}
