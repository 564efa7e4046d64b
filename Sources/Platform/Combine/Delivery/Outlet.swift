import Glibc

/// The sending end of one subscription: hands values to one subscriber, one call at a time and never more than asked.
///
/// Values may be offered from any thread. The first thread to offer becomes the emitter; what others offer meanwhile is
/// queued and delivered by the emitter, in order, before it leaves. So calls to the subscriber never overlap, no lock is
/// held while its code runs, and two subjects that send to each other from two threads cannot deadlock. Demand that
/// arrives from inside the subscriber is picked up by the emitter's loop, which keeps the stack flat.
///
/// Operators with a queue or several upstreams subclass this and override the hooks.
class Outlet<Value, Fault: Error>: Subscription {
    /// What becomes of a value that nobody has asked for.
    enum Surplus {
        /// It waits, unless a failure comes, which does not.
        case keep
        /// It waits, and so does whatever comes after it.
        case keepAll
        /// It is dropped.
        case drop
        /// The newest waits, older ones are dropped.
        case keepLatest
    }

    private struct Entry {
        var value: Value
        /// Asked for one more once the value has been delivered.
        var source: (any Subscription)?
    }

    private struct State {
        /// Nil once the subscription is over, by completion or cancellation.
        var downstream: (any Subscriber<Value, Fault>)?
        var demand = Subscribers.Demand.none
        var queue = FIFO<Entry>()
        var completion: Subscribers.Completion<Fault>?
        /// How many events may go out; nil when it is not limited.
        var turns: Int?
        /// How deep sends from inside the subscriber nest; deeper ones are left to the loop outside, so that a
        /// feedback loop, or one that meets a queue filled by other threads, cannot use up the stack.
        private static var deepest: Int { 16 }

        /// The thread that is inside the subscriber, and how often. Until the subscriber has its subscription, delivery
        /// counts as going on, so that nothing can come before it.
        var emitter: pthread_t?
        var depth = 1

        mutating func enter(nesting: Bool) -> Bool {
            let thread = pthread_self()
            if depth == 0 {
                emitter = thread
            } else if !nesting || emitter != thread || depth >= Self.deepest {
                return false
            }
            depth += 1
            return true
        }

        mutating func leave() {
            depth -= 1
            if depth == 0 { emitter = nil }
        }
    }

    private enum Step {
        case deliver(Entry, any Subscriber<Value, Fault>, dropped: FIFO<Entry>?)
        case complete(Subscribers.Completion<Fault>, any Subscriber<Value, Fault>, dropped: [FIFO<Entry>?])
        case idle(dropped: FIFO<Entry>?)
    }

    private let state: Guarded<State>
    private let surplus: Surplus
    private let nests: Bool

    /// - Parameters:
    ///   - nests: Whether a value offered from inside the subscriber is delivered before `offer` returns (what callers
    ///     of a subject expect) or after the subscriber is back (what operators need, to keep the stack flat).
    ///   - paced: Whether each event needs a turn, given by ``grantTurn()``.
    init(
        _ downstream: any Subscriber<Value, Fault>, surplus: Surplus, nests: Bool = false, paced: Bool = false
    ) {
        state = Guarded(State(downstream: downstream, turns: paced ? 0 : nil))
        self.surplus = surplus
        self.nests = nests
    }

    // MARK: Hooks, called without a lock

    /// More was asked for: by ``request(_:)`` or by the subscriber's return value.
    func demandGrew(by demand: Subscribers.Demand) {}
    /// The subscriber has cancelled or been completed: let go of the upstreams. Called once.
    func ended() {}

    // MARK: For the operator

    var isOver: Bool { state.withLock { $0.downstream == nil } }

    /// Hands the subscriber its subscription. Whatever is offered meanwhile is delivered afterwards.
    func start() {
        let downstream = state.withLock { state -> (any Subscriber<Value, Fault>)? in
            state.emitter = pthread_self()
            return state.downstream
        }
        guard let downstream else { return }
        downstream.receive(subscription: self)
        emit()
    }

    /// Queues a value without delivering it: may be called under an operator's own lock, to fix the order.
    /// ``deliver()`` must follow.
    /// - Returns: Whether the subscription is alive.
    @discardableResult
    func enqueue(_ value: Value, from source: (any Subscription)? = nil) -> Bool {
        state.withLock { state in
            guard state.downstream != nil, state.completion == nil else { return false }
            state.queue.append(Entry(value: value, source: source))
            return true
        }
    }

    /// Queues the ending. ``deliver()`` must follow. A second ending is ignored.
    ///
    /// Where values are kept, `finished` waits until they are delivered.
    func enqueue(completion: Subscribers.Completion<Fault>) {
        state.withLock { state in
            if state.downstream != nil, state.completion == nil { state.completion = completion }
        }
    }

    /// Delivers what is queued and asked for, unless another thread is at it, which then does.
    func deliver() {
        if state.withLock({ $0.enter(nesting: nests) }) { emit() }
    }

    func offer(_ value: Value, from source: (any Subscription)? = nil) {
        if enqueue(value, from: source) { deliver() }
    }

    func finish(_ completion: Subscribers.Completion<Fault>) {
        enqueue(completion: completion)
        deliver()
    }

    /// Adds to the demand without delivering, for operators that deliver elsewhere.
    func grow(by demand: Subscribers.Demand) {
        state.withLock { $0.demand += demand }
    }

    /// Lets one more event out, at the next ``deliver()``.
    func grantTurn() {
        state.withLock { state in
            if let turns = state.turns { state.turns = turns + 1 }
        }
    }

    /// How many more values the subscriber would take than are queued.
    var outstanding: Subscribers.Demand { state.withLock { $0.demand - $0.queue.count } }

    /// Whether the demand has no limit.
    var isUnlimited: Bool { state.withLock { $0.demand == .unlimited } }

    var queuedCount: Int { state.withLock { $0.queue.count } }

    /// Takes the oldest value out of the queue, for buffers that are full.
    func discardOldest() -> Value? { state.withLock { $0.queue.popFirst() }?.value }

    // MARK: Subscription

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        grow(by: demand)
        demandGrew(by: demand)
        deliver()
    }

    func cancel() {
        let (downstream, dropped) = state.withLock { state -> (Any?, FIFO<Entry>) in
            let downstream = state.downstream
            state.downstream = nil
            state.completion = nil
            return (downstream, state.queue.removeAll())
        }
        guard downstream != nil else { return }
        ended()
        withExtendedLifetime((downstream, dropped)) {}
    }

    // MARK: The emitter's loop

    private func emit() {
        while true {
            switch state.withLock(nextStep) {
            case .deliver(let entry, let downstream, let dropped):
                withExtendedLifetime(dropped) {}
                let more = downstream.receive(entry.value)
                if more > .none {
                    grow(by: more)
                    demandGrew(by: more)
                }
                entry.source?.request(.max(1))
            case .complete(let completion, let downstream, let dropped):
                ended()
                downstream.receive(completion: completion)
                withExtendedLifetime(dropped) {}
                return
            case .idle(let dropped):
                withExtendedLifetime(dropped) {}
                return
            }
        }
    }

    private func nextStep(_ state: inout State) -> Step {
        guard let downstream = state.downstream else {
            state.leave()
            return .idle(dropped: nil)
        }
        if state.turns == 0 {
            state.leave()
            return .idle(dropped: nil)
        }
        let dropped = dropSurplus(&state)
        if state.demand > .none, let entry = state.queue.popFirst() {
            state.demand -= 1
            if let turns = state.turns { state.turns = turns - 1 }
            return .deliver(entry, downstream, dropped: dropped)
        }
        if let completion = state.completion {
            let mayWait = surplus == .keepAll || (surplus == .keep && !completion.isFailure)
            if state.queue.isEmpty || !mayWait {
                state.downstream = nil
                state.leave()
                return .complete(completion, downstream, dropped: [dropped, state.queue.removeAll()])
            }
        }
        state.leave()
        return .idle(dropped: dropped)
    }

    /// Takes out of the queue what the subscriber will not get.
    private func dropSurplus(_ state: inout State) -> FIFO<Entry>? {
        guard let demand = state.demand.max, state.queue.count > demand else { return nil }
        switch surplus {
        case .keep, .keepAll: return nil
        case .drop: return demand == 0 ? state.queue.removeAll() : nil
        case .keepLatest:
            var dropped = FIFO<Entry>()
            while state.queue.count > Swift.max(demand, 1), let entry = state.queue.popFirst() { dropped.append(entry) }
            return dropped
        }
    }
}
