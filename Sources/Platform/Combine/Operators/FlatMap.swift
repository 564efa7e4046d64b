extension Publishers {
    /// Makes a publisher of each value and sends the values of all of them as they come.
    public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// The new publishers' values.
        public typealias Output = NewPublisher.Output
        /// The error of all.
        public typealias Failure = Upstream.Failure
        /// Where the values come from that publishers are made of.
        public let upstream: Upstream
        /// How many new publishers there may be at a time.
        public let maxPublishers: Subscribers.Demand
        /// Makes the publisher.
        public let transform: (Upstream.Output) -> NewPublisher

        /// Makes publishers of the values of `upstream`.
        public init(
            upstream: Upstream, maxPublishers: Subscribers.Demand,
            transform: @escaping (Upstream.Output) -> NewPublisher
        ) {
            self.upstream = upstream
            self.maxPublishers = maxPublishers
            self.transform = transform
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(FlatMapOutlet(subscriber, maxPublishers: maxPublishers, transform: transform))
        }
    }
}

extension Publisher {
    /// Makes a publisher of each value and sends the values of all of them as they come.
    ///
    /// - Parameter maxPublishers: How many of them there may be at a time; this publisher is asked for no more values.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }

    /// Makes a publisher that cannot fail of each value and sends the values of all of them as they come.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMap(maxPublishers: maxPublishers) { transform($0).setFailureType(to: Failure.self) }
    }
}

extension Publisher where Failure == Never {
    /// Makes a publisher of each value and sends the values of all of them as they come.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
    }

    /// Makes a publisher that cannot fail of each value and sends the values of all of them as they come.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }
}

/// Where the new publishers' values meet.
///
/// Each is asked for everything when the subscriber has asked for everything, else for one value at a time, which waits
/// here for demand.
private final class FlatMapOutlet<Input, NewPublisher: Publisher>:
    Outlet<NewPublisher.Output, NewPublisher.Failure>, Subscriber
{
    typealias Failure = NewPublisher.Failure

    private struct State {
        var branches: [Int: Branch<NewPublisher.Output, Failure>] = [:]
        var lastNumber = 0
        var upstreamIsOver = false
        var isOver = false

        var isDone: Bool { upstreamIsOver && branches.isEmpty }
    }

    private let link = Link()
    private let maxPublishers: Subscribers.Demand
    private let transform: (Input) -> NewPublisher
    private let state = Guarded(State())

    init(
        _ downstream: some Subscriber<NewPublisher.Output, Failure>, maxPublishers: Subscribers.Demand,
        transform: @escaping (Input) -> NewPublisher
    ) {
        self.maxPublishers = maxPublishers
        self.transform = transform
        super.init(downstream, surplus: .keep)
    }

    func receive(subscription: any Subscription) {
        start()
        link.request(maxPublishers)
        link.connect(subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        guard link.isOpen else { return .none }
        let publisher = transform(input)
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let takesAll = isUnlimited
        let credit = Link()
        let branch = Branch<NewPublisher.Output, Failure>(
            value: { value in
                self.offer(value, from: takesAll ? nil : credit)
                return .none
            },
            completion: { self.branch(number, endedWith: $0) })
        let isOver = state.withLock { state in
            if !state.isOver { state.branches[number] = branch }
            return state.isOver
        }
        if isOver { return .none }
        credit.connect(branch)
        publisher.subscribe(branch)
        branch.request(takesAll ? .unlimited : .max(1))
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        link.close()
        if completion.isFailure { return finish(completion) }
        let isDone = state.withLock { state in
            state.upstreamIsOver = true
            return state.isDone
        }
        if isDone { finish(.finished) }
    }

    private func branch(_ number: Int, endedWith completion: Subscribers.Completion<Failure>) {
        let (isDone, branch) = state.withLock { state in
            let branch = state.branches.removeValue(forKey: number)
            return (state.isDone, branch)
        }
        withExtendedLifetime(branch) {}
        if completion.isFailure || isDone {
            finish(completion)
        } else if maxPublishers != .unlimited {
            link.request(.max(1))
        }
    }

    override func ended() {
        link.cancel()
        let branches = state.withLock { state in
            state.isOver = true
            defer { state.branches = [:] }
            return state.branches
        }
        for branch in branches.values { branch.cancel() }
    }
}
