import Basics

/// Who listens to a model's events, and who waits for it to be connected. Thread-safe: one lock.
final class EventAudience: Sendable {
    private typealias Waiter = CheckedContinuation<Result<Void, LiveViewError>, Never>

    private struct State {
        var streams: [Int: AsyncStream<LiveViewEvent>.Continuation] = [:]
        var waiters: [Int: Waiter] = [:]
        var next = 0
    }

    private let state = Locked(State())

    /// A stream of the events from now on.
    func stream() -> AsyncStream<LiveViewEvent> {
        let (stream, continuation) = AsyncStream<LiveViewEvent>.makeStream()
        let id = state.withLock { state in
            state.next += 1
            state.streams[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.streams[id] = nil } }
        return stream
    }

    /// Hands an event to all streams, then to those who wait for it.
    func send(_ event: LiveViewEvent) {
        let outcome: Result<Void, LiveViewError>? =
            switch event {
            case .connected: .success(())
            case .error(let error): .failure(error)
            case .terminated: .failure(.disconnected)
            default: nil
            }
        let (streams, waiters): ([AsyncStream<LiveViewEvent>.Continuation], [Waiter]) = state.withLock { state in
            guard outcome != nil else { return (Array(state.streams.values), []) }
            defer { state.waiters = [:] }
            return (Array(state.streams.values), Array(state.waiters.values))
        }
        for stream in streams { stream.yield(event) }
        if let outcome {
            for waiter in waiters { waiter.resume(returning: outcome) }
        }
    }

    /// Waits for `connected` or what excludes it.
    /// - Parameter current: What is known already; looked at once the waiter is known, so that nothing is missed.
    func connected(_ current: @Sendable () -> Result<Void, LiveViewError>?) async throws(LiveViewError) {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let result: Result<Void, LiveViewError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiters[id] = continuation }
                if let known = Task.isCancelled ? .failure(.cancelled) : current() { resolve(id, known) }
            }
        } onCancel: {
            resolve(id, .failure(.cancelled))
        }
        try result.get()
    }

    /// Ends all streams and waits.
    func finish(_ error: LiveViewError) {
        let (streams, waiters) = state.withLock { state in
            defer { (state.streams, state.waiters) = ([:], [:]) }
            return (Array(state.streams.values), Array(state.waiters.values))
        }
        for stream in streams { stream.finish() }
        for waiter in waiters { waiter.resume(returning: .failure(error)) }
    }

    private func resolve(_ id: Int, _ result: Result<Void, LiveViewError>) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: result)
    }
}
