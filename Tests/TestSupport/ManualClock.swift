import Basics

/// A clock that moves only when a test says so.
///
/// Sleepers are resumed in the order of their deadlines. ``sleepers(atLeast:)`` waits until that many tasks sleep, which
/// is how a test knows that the code under test has reached its timer before it moves the clock.
public final class ManualClock: Clock, Sendable {
    /// A moment, counted from the clock's creation.
    public struct Instant: InstantProtocol {
        /// Time since the clock was made.
        public var offset: Duration
        /// The moment `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The time from here to `other`.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Orders by time.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        var id: Int
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        var isContent: @Sendable ([Sleeper]) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var watchers: [Watcher] = []
    }

    private let state = Locked(State())

    /// A clock at zero.
    public init() {}

    /// The current moment.
    public var now: Instant { state.withLock { $0.now } }
    /// Any step counts.
    public var minimumResolution: Duration { .zero }

    /// Suspends until the clock has been advanced to `deadline`.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                enum Next { case due, cancelled, asleep([Watcher]) }
                let next: Next = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .cancelled }
                    if deadline <= state.now { return .due }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
                    let sleepers = state.sleepers
                    let reached = state.watchers.filter { $0.isContent(sleepers) }
                    state.watchers.removeAll { $0.isContent(sleepers) }
                    return .asleep(reached)
                }
                switch next {
                case .due: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .asleep(let watchers): for watcher in watchers { watcher.continuation.resume() }
                }
            }
        } onCancel: {
            let sleeper: Sleeper? = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the clock on and wakes whoever is due, earliest first.
    public func advance(by duration: Duration) {
        let due: [Sleeper] = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.deadline <= state.now }.sorted { $0.deadline < $1.deadline }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until at least `count` tasks sleep on this clock.
    public func sleepers(atLeast count: Int = 1) async {
        await wait { $0.count >= count }
    }

    /// Waits until a task sleeps that would sleep for just `duration` from now on.
    public func sleeper(for duration: Duration) async {
        let deadline = now.advanced(by: duration)
        await wait { sleepers in sleepers.contains { $0.deadline == deadline } }
    }

    private func wait(until isContent: @escaping @Sendable ([Sleeper]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let ready: Bool = state.withLock { state in
                if isContent(state.sleepers) { return true }
                state.watchers.append(Watcher(isContent: isContent, continuation: continuation))
                return false
            }
            if ready { continuation.resume() }
        }
    }
}
