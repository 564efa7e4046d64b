import Basics

/// Who listens to a model's events, and who waits for it to be connected. Thread-safe: one lock.
final class EventAudience: Sendable {
    private struct Waiter {
        var continuation: CheckedContinuation<Result<Void, LiveViewError>, Never>
        /// The machine's newest step when it began to wait.
        var step: Int
    }

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
    /// - Parameter step: Of the machine, at which it happened. It says nothing to who began to wait after that: it is the end
    ///   of something else.
    func send(_ event: LiveViewEvent, step: Int) {
        let outcome: Result<Void, LiveViewError>? =
            switch event {
            case .connected: .success(())
            case .error(let error): .failure(error)
            case .terminated: .failure(.disconnected)
            default: nil
            }
        let (streams, waiters): ([AsyncStream<LiveViewEvent>.Continuation], [Waiter]) = state.withLock { state in
            guard outcome != nil else { return (Array(state.streams.values), []) }
            let addressed = state.waiters.filter { $0.value.step < step }
            for id in addressed.keys { state.waiters[id] = nil }
            return (Array(state.streams.values), Array(addressed.values))
        }
        for stream in streams { stream.yield(event) }
        if let outcome {
            for waiter in waiters { waiter.continuation.resume(returning: outcome) }
        }
    }

    /// Waits for `connected` or what excludes it.
    /// - Parameter current: Where the view stands. Looked at under the lock, so that each later step finds the waiter; it may
    ///   take the machine's lock, under which nothing here is called.
    func connected(_ current: @Sendable () -> LiveViewMachine.Standing) async throws(LiveViewError) {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let result: Result<Void, LiveViewError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Result<Void, LiveViewError>? = state.withLock { state in
                    if Task.isCancelled { return .failure(.cancelled) }
                    let standing = current()
                    if standing.outcome == nil {
                        state.waiters[id] = Waiter(continuation: continuation, step: standing.step)
                    }
                    return standing.outcome
                }
                if let known { continuation.resume(returning: known) }
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
        for waiter in waiters { waiter.continuation.resume(returning: .failure(error)) }
    }

    private func resolve(_ id: Int, _ result: Result<Void, LiveViewError>) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: result)
    }
}
