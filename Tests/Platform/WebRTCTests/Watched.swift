import Basics

/// A value whose changes can be awaited; waiting ends when the task is cancelled, so a deadline works.
final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
    }

    private let state: Locked<State>

    init(_ value: Value) { state = Locked(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    func change(_ change: (inout Value) -> Void) {
        let watchers = state.withLock { state in
            change(&state.value)
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher.yield() }
    }

    /// Waits until `test` holds.
    func waits(until test: (Value) -> Bool) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.next += 1
            state.watchers[state.next] = continuation
            return state.next
        }
        defer { state.withLock { state in state.watchers[id] = nil } }
        if test(value) { return }
        for await _ in stream where test(value) { return }
        throw CancellationError()
    }
}
