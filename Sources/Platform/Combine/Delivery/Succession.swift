/// The outlet of an operator that listens to one upstream after another, such as `catch`, `append` or `switchToLatest`.
///
/// What the subscriber still wants is asked of the current upstream; values of an earlier one are ignored. An upstream
/// that ends while it is being subscribed to does not deepen the stack: the next is subscribed to by the loop in
/// ``follow(_:onCompletion:)``.
class Succession<Value, Fault: Error>: Outlet<Value, Fault> {
    private struct State {
        var current: (any Subscription)?
        var number = 0
        /// What the current upstream has been asked for and has not sent.
        var granted = Subscribers.Demand.none
        var subscribing = false
        var next: (() -> Void)?
        var closed = false
    }

    private let successionState = Guarded(State())

    init(_ downstream: some Subscriber<Value, Fault>) { super.init(downstream, surplus: .keep) }

    /// Leaves the current upstream for `publisher`. `onCompletion` is called when that ends, unless it was left.
    func follow<P: Publisher>(
        _ publisher: P, onCompletion: @escaping (Subscribers.Completion<P.Failure>) -> Void
    ) where P.Output == Value {
        let (number, left) = successionState.withLock { state -> (Int, (any Subscription)?) in
            state.number += 1
            defer { state.current = nil }
            return (state.number, state.current)
        }
        left?.cancel()
        subscribeInTurn { self.subscribe(to: publisher, as: number, onCompletion: onCompletion) }
    }

    private func subscribeInTurn(_ work: @escaping () -> Void) {
        let (mayRun, replaced) = successionState.withLock { state -> (Bool, (() -> Void)?) in
            if state.closed { return (false, nil) }
            if state.subscribing {
                defer { state.next = work }
                return (false, state.next)
            }
            state.subscribing = true
            return (true, nil)
        }
        withExtendedLifetime(replaced) {}
        guard mayRun else { return }
        var work: (() -> Void)? = work
        while let turn = work {
            turn()
            work = successionState.withLock { state in
                defer { state.next = nil }
                if state.next == nil { state.subscribing = false }
                return state.next
            }
        }
    }

    private func subscribe<P: Publisher>(
        to publisher: P, as number: Int, onCompletion: @escaping (Subscribers.Completion<P.Failure>) -> Void
    ) where P.Output == Value {
        let branch = Branch<Value, P.Failure>(
            value: { value in
                if self.accept(value, from: number) { self.deliver() }
                return .none
            },
            completion: { completion in
                if self.leave(number) { onCompletion(completion) }
            })
        let isCurrent = successionState.withLock { state in
            guard state.number == number, !state.closed else { return false }
            state.current = branch
            state.granted = .none
            return true
        }
        guard isCurrent else { return }
        publisher.subscribe(branch)
        askForMore()
    }

    private func accept(_ value: Value, from number: Int) -> Bool {
        successionState.withLock { state in
            guard state.number == number, state.current != nil else { return false }
            state.granted -= 1
            return enqueue(value)
        }
    }

    /// Notes that the upstream has ended by itself.
    /// - Returns: Whether it was the current one.
    private func leave(_ number: Int) -> Bool {
        let branch = successionState.withLock { state -> (any Subscription)? in
            guard state.number == number else { return nil }
            defer { state.current = nil }
            return state.current
        }
        return branch != nil
    }

    private func askForMore() {
        let (upstream, demand) = successionState.withLock { state -> ((any Subscription)?, Subscribers.Demand) in
            guard let current = state.current, state.granted != .unlimited else { return (nil, .none) }
            let wanted = outstanding
            let more = wanted - state.granted
            state.granted += more
            return (current, more)
        }
        if demand > .none { upstream?.request(demand) }
    }

    override func demandGrew(by demand: Subscribers.Demand) { askForMore() }

    override func ended() {
        let (current, next) = successionState.withLock { state -> ((any Subscription)?, (() -> Void)?) in
            state.closed = true
            defer {
                state.current = nil
                state.next = nil
            }
            return (state.current, state.next)
        }
        current?.cancel()
        withExtendedLifetime(next) {}
    }
}
