/// A publisher of one value, or of an error, that is known later.
///
/// The work starts when the future is made, runs once, and its outcome is kept for all subscribers.
public final class Future<Output, Failure: Error>: Publisher {
    /// Says the outcome; the first call counts. Safe from any thread.
    public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

    private let store = OutcomeStore<Output, Failure>()

    /// Runs `attemptToFulfill` at once; it calls its promise then or later.
    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        let store = store
        attemptToFulfill { store.settle($0) }
    }

    /// Attaches `subscriber`, which gets the outcome when it is known.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        store.join(subscriber)
    }
}

// Unchecked because the store guards its own state; the value crosses threads, hence the condition.
extension Future: @unchecked Sendable where Output: Sendable {}

extension Future where Failure == Never {
    /// The value, once it is known. Goes on waiting when the task is cancelled.
    public var value: Output {
        get async {
            await withCheckedContinuation { (continuation: CheckedContinuation<Unchecked<Output>, Never>) in
                store.join(
                    Branch<Output, Never>.once { result in
                        switch result {
                        case .success(let value): continuation.resume(returning: Unchecked(value))
                        }
                    })
            }.value
        }
    }
}

extension Future {
    /// The value, once it is known.
    ///
    /// Throws the future's error, or `CancellationError` when the task is cancelled first.
    public var value: Output {
        get async throws {
            let waiting = Guarded<CheckedContinuation<Unchecked<Output>, any Error>?>(nil)
            let isCancelled = Guarded(false)
            let store = store
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    waiting.withLock { $0 = continuation }
                    if isCancelled.withLock({ $0 }) {
                        waiting.take()?.resume(throwing: CancellationError())
                        return
                    }
                    store.join(
                        Branch<Output, Failure>.once { result in
                            waiting.take()?.resume(with: result.map(Unchecked.init).mapError { $0 as any Error })
                        })
                }
            } onCancel: {
                isCancelled.withLock { $0 = true }
                waiting.take()?.resume(throwing: CancellationError())
            }.value
        }
    }
}

extension Branch {
    /// A subscriber that takes one value, or the error.
    fileprivate static func once(_ settle: @escaping (Result<Input, Failure>) -> Void) -> Branch {
        let branch = Branch(
            value: { value in
                settle(.success(value))
                return .none
            },
            completion: { completion in
                if case .failure(let error) = completion { settle(.failure(error)) }
            })
        branch.request(.max(1))
        return branch
    }
}

/// A future's outcome and those who wait for it.
private final class OutcomeStore<Output, Failure: Error>: @unchecked Sendable {
    // Unchecked because all state is in `state`.
    private struct State {
        var result: Result<Output, Failure>?
        var members: [Member] = []
    }

    private final class Member: Outlet<Output, Failure> {
        private weak var store: OutcomeStore?

        init(_ downstream: any Subscriber<Output, Failure>, of store: OutcomeStore) {
            self.store = store
            super.init(downstream, surplus: .keep)
        }

        override func ended() { store?.remove(self) }
    }

    private let state = Guarded(State())

    func join(_ subscriber: some Subscriber<Output, Failure>) {
        let member = Member(subscriber, of: self)
        let result = state.withLock { state in
            if state.result == nil { state.members.append(member) }
            return state.result
        }
        if let result { member.enqueue(result) }
        member.start()
    }

    func settle(_ result: Result<Output, Failure>) {
        let members = state.withLock { state -> [Member] in
            guard state.result == nil else { return [] }
            state.result = result
            defer { state.members = [] }
            return state.members
        }
        for member in members {
            member.enqueue(result)
            member.deliver()
        }
    }

    private func remove(_ member: Member) {
        state.withLock { $0.members.removeAll { $0 === member } }
    }
}
