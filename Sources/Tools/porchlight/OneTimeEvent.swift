import Basics
import Foundation

/// Something that happens once, and that any number of tasks may wait for. State is behind one lock.
final class OneTimeEvent<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [UUID: CheckedContinuation<Value?, Never>] = [:]
    }

    private let state = Locked(State())

    /// It has happened, with this value; later calls change nothing.
    func happen(_ value: Value) {
        let waiters = state.withLock { state in
            guard state.value == nil else { return [CheckedContinuation<Value?, Never>]() }
            state.value = value
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// Whether it has happened.
    var hasHappened: Bool { state.withLock { $0.value != nil } }

    /// Waits until it has happened; at once when it has already.
    /// - Returns: Its value; nil when the waiting task was cancelled first.
    func wait() async -> Value? {
        let id = UUID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.value != nil || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume(returning: state.withLock { $0.value }) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: nil)
        }
    }
}
