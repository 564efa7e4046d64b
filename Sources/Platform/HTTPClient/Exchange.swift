import Basics

/// A request and the one who waits for its outcome. The first outcome stays. State is behind one lock; the waiting task is
/// resumed after the lock is released.
final class Exchange: Sendable {
    typealias Outcome = Result<HTTPClient.Answer, HTTPClientError>

    private struct State {
        var outcome: Outcome?
        var continuation: CheckedContinuation<Outcome, Never>?
    }

    let request: CheckedRequest
    private let state = Locked(State())

    init(_ request: CheckedRequest) { self.request = request }

    var isFinished: Bool { state.withLock { $0.outcome != nil } }

    /// Resumes with the outcome, now or later. Called once.
    /// - Returns: Whether there is no outcome yet.
    func wait(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let known: Outcome? = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let known { continuation.resume(returning: known) }
        return known == nil
    }

    /// Sets the outcome, unless there is one.
    /// - Returns: Whether there was none.
    @discardableResult
    func finish(_ outcome: Outcome) -> Bool {
        let (isFirst, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Outcome, Never>?) in
            guard state.outcome == nil else { return (false, nil) }
            state.outcome = outcome
            defer { state.continuation = nil }
            return (true, state.continuation)
        }
        waiting?.resume(returning: outcome)
        return isFirst
    }
}
