import Basics

/// Keeps what happened until a test asks for it.
public final class Recorder<Event: Sendable>: Sendable {
    private struct Waiter {
        var id: Int
        /// How to resume the one who waits, if the event is the one.
        var offer: @Sendable (Event) -> (@Sendable () -> Void)?
        var cancel: @Sendable () -> Void
    }

    private struct State {
        var events: [Event] = []
        var waiters: [Waiter] = []
        var nextID = 0
        var cancelled: Set<Int> = []
    }

    private let state = Locked(State())

    /// Nothing has happened yet.
    public init() {}

    /// Keeps an event, or hands it to the one who waits for it.
    public func record(_ event: Event) {
        let resume: (@Sendable () -> Void)? = state.withLock { state in
            for (index, waiter) in state.waiters.enumerated() {
                if let resume = waiter.offer(event) {
                    state.waiters.remove(at: index)
                    return resume
                }
            }
            state.events.append(event)
            return nil
        }
        resume?()
    }

    /// The first event, past or future, that `pick` makes something of. It is taken out; the others stay.
    /// - Throws: ``DeadlinePassed``.
    public func next<Value: Sendable>(
        _ what: String, limit: Duration = .seconds(20), _ pick: @escaping @Sendable (Event) -> Value?
    ) async throws -> Value {
        try await within(limit, what) { try await self.wait(pick) }
    }

    /// Events that nobody has asked for yet.
    public var remaining: [Event] { state.withLock { $0.events } }

    private func wait<Value: Sendable>(_ pick: @escaping @Sendable (Event) -> Value?) async throws -> Value {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                let waiter = Waiter(
                    id: id,
                    offer: { event in
                        guard let value = pick(event) else { return nil }
                        return { continuation.resume(returning: value) }
                    }, cancel: { continuation.resume(throwing: CancellationError()) })
                let resume: (@Sendable () -> Void)? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return waiter.cancel }
                    for (index, event) in state.events.enumerated() {
                        if let resume = waiter.offer(event) {
                            state.events.remove(at: index)
                            return resume
                        }
                    }
                    state.waiters.append(waiter)
                    return nil
                }
                resume?()
            }
        } onCancel: {
            let waiter: Waiter? = state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            waiter?.cancel()
        }
    }
}
