import Basics
import TestSupport

/// What closures have reported, in order, for a test to wait on.
final class Record<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var lastID = 0
        var waiters: [Int: (isDue: @Sendable ([Element]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = [:]
    }
    private let state = Locked(State())

    var elements: [Element] { state.withLock { $0.elements } }

    func add(_ element: Element) {
        let due = state.withLock { state in
            state.elements.append(element)
            let due = state.waiters.filter { $0.value.isDue(state.elements) }
            for id in due.keys { state.waiters[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    /// The elements, once there are at least `count`.
    func first(_ count: Int, _ what: String = "enough reports") async throws -> [Element] {
        try await when(what) { $0.count >= count }
    }

    /// The elements, once `isDue` holds for them.
    func when(_ what: String, _ isDue: @escaping @Sendable ([Element]) -> Bool) async throws -> [Element] {
        try await within(.seconds(20), what) { [self] in
            let id = state.withLock { state in
                state.lastID += 1
                return state.lastID
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isOver = state.withLock { state in
                        if Task.isCancelled || isDue(state.elements) { return true }
                        state.waiters[id] = (isDue, continuation)
                        return false
                    }
                    if isOver { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.waiters.removeValue(forKey: id)?.continuation }?.resume()
            }
            return elements
        }
    }
}
