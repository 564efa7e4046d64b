/// Hands a publisher's values to tasks that wait for them. Ends the subscription when it is released.
final class Intake<Input, Failure: Error>: @unchecked Sendable {
    // Unchecked because all state is in the core.

    /// What a wait brings.
    enum Event {
        case value(Unchecked<Input>)
        case finished(Subscribers.Completion<Failure>)
        case cancelled
    }

    private let core = Core()

    /// What is to be subscribed. It does not keep the intake.
    var subscriber: some Subscriber<Input, Failure> { core }

    deinit { core.cancel() }

    /// Asks for a value and waits for it. The subscription ends when the task is cancelled.
    func next(isolation actor: isolated (any Actor)?) async -> Event {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { core.wait($0) }
        } onCancel: {
            core.cancel()
        }
    }

    private final class Core: Subscriber, @unchecked Sendable {
        // Unchecked because all state is in `state`.
        private struct State {
            var waiting = FIFO<CheckedContinuation<Event, Never>>()
            /// Values that came when nobody waited any more, from publishers that do not heed demand or a task that
            /// left.
            var early = FIFO<Input>()
            var ending: Event?
        }

        private let state = Guarded(State())
        private let link = Link()

        func receive(subscription: any Subscription) { link.connect(subscription) }

        func receive(_ input: Input) -> Subscribers.Demand {
            let waiter = state.withLock { state -> CheckedContinuation<Event, Never>? in
                guard state.ending == nil else { return nil }
                if let waiter = state.waiting.popFirst() { return waiter }
                state.early.append(input)
                return nil
            }
            waiter?.resume(returning: .value(Unchecked(input)))
            return .none
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            link.close()
            end(with: .finished(completion))
        }

        func wait(_ continuation: CheckedContinuation<Event, Never>) {
            let event = state.withLock { state -> Event? in
                if let value = state.early.popFirst() { return .value(Unchecked(value)) }
                if let ending = state.ending {
                    // An error is thrown once.
                    if case .finished(.failure) = ending { state.ending = .finished(.finished) }
                    return ending
                }
                state.waiting.append(continuation)
                return nil
            }
            if let event { continuation.resume(returning: event) } else { link.request(.max(1)) }
        }

        func cancel() {
            link.cancel()
            end(with: .cancelled)
        }

        private func end(with ending: Event) {
            var waiting = state.withLock { state -> FIFO<CheckedContinuation<Event, Never>> in
                guard state.ending == nil else { return FIFO() }
                state.ending = ending
                if case .finished(.failure) = ending, !state.waiting.isEmpty { state.ending = .finished(.finished) }
                return state.waiting.removeAll()
            }
            var event = ending
            while let waiter = waiting.popFirst() {
                waiter.resume(returning: event)
                if case .finished = event { event = .finished(.finished) }
            }
        }
    }
}
