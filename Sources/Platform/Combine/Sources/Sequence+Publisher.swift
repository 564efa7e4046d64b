extension Publishers {
    /// Publishes the elements of a sequence, as they are asked for.
    public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
        /// The elements.
        public typealias Output = Elements.Element

        /// What is published.
        public let sequence: Elements

        /// Publishes the elements of `sequence`.
        public init(sequence: Elements) { self.sequence = sequence }

        /// Attaches `subscriber`, which gets the elements from the start.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            SequenceSubscription(sequence, to: subscriber).start()
        }
    }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}
extension Publishers.Sequence: Sendable where Elements: Sendable {}

extension Sequence {
    /// A publisher of the elements.
    public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

/// Steps through a sequence, one thread at a time, always one element ahead so that the end is known with the last.
private final class SequenceSubscription<Iterator: IteratorProtocol, Downstream: Subscriber>: Subscription
where Downstream.Input == Iterator.Element {
    private struct State {
        var downstream: Downstream?
        var demand = Subscribers.Demand.none
        /// Whether a thread is in the loop, which then alone touches `cursor`.
        var isRunning = true
    }

    private final class Cursor {
        private var iterator: Iterator
        private(set) var next: Iterator.Element?

        init(_ iterator: Iterator) {
            self.iterator = iterator
            advance()
        }

        func advance() { next = iterator.next() }
    }

    private let state: Guarded<State>
    private let cursor: Cursor

    init<Elements: Sequence>(_ elements: Elements, to downstream: Downstream) where Elements.Iterator == Iterator {
        state = Guarded(State(downstream: downstream))
        cursor = Cursor(elements.makeIterator())
    }

    func start() {
        state.withLock { $0.downstream }?.receive(subscription: self)
        run()
    }

    func request(_ demand: Subscribers.Demand) {
        let runs = state.withLock { state in
            state.demand += demand
            guard !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
        if runs { run() }
    }

    func cancel() {
        let downstream = state.withLock { state in
            defer { state.downstream = nil }
            return state.downstream
        }
        withExtendedLifetime(downstream) {}
    }

    private func run() {
        while true {
            guard let element = cursor.next else { return complete() }
            let downstream = state.withLock { state -> Downstream? in
                guard state.downstream != nil, state.demand > .none else {
                    state.isRunning = false
                    return nil
                }
                state.demand -= 1
                return state.downstream
            }
            guard let downstream else { return }
            cursor.advance()
            let more = downstream.receive(element)
            if more > .none { state.withLock { $0.demand += more } }
        }
    }

    private func complete() {
        let downstream = state.withLock { state in
            state.isRunning = false
            defer { state.downstream = nil }
            return state.downstream
        }
        downstream?.receive(completion: .finished)
    }
}
