extension Publishers {
    /// Sends all values in one array, at the end.
    public struct Collect<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = [Upstream.Output]
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream

        /// Collects the values of `upstream`.
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var values: [Upstream.Output] = []
            let reduction = Reduction<Upstream.Output, Failure, Output, Failure>(
                to: subscriber,
                value: { input in
                    values.append(input)
                    return .goOn
                }, end: { .result(values) })
            upstream.subscribe(reduction)
        }
    }

    /// Sends the values in arrays of a given length; the last may be shorter.
    public struct CollectByCount<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = [Upstream.Output]
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// How many values an array holds.
        public let count: Int

        /// Collects the values of `upstream` in arrays of `count`.
        public init(upstream: Upstream, count: Int) {
            self.upstream = upstream
            self.count = count
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(CollectOutlet(subscriber, count: count))
        }
    }
}

extension Publisher {
    /// Sends all values in one array, at the end.
    public func collect() -> Publishers.Collect<Self> { Publishers.Collect(upstream: self) }

    /// Sends the values in arrays of `count`; the last may be shorter.
    /// - Precondition: `count` is at least 1.
    public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
        precondition(count >= 1, "cannot collect \(count) values")
        return Publishers.CollectByCount(upstream: self, count: count)
    }
}

private final class CollectOutlet<Input, Failure: Error>: Outlet<[Input], Failure>, Subscriber {
    private let link = Link()
    private let count: Int
    private let gathered = Guarded<[Input]>([])

    init(_ downstream: some Subscriber<[Input], Failure>, count: Int) {
        self.count = count
        super.init(downstream, surplus: .keep)
    }

    func receive(subscription: any Subscription) {
        start()
        link.connect(subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        let full = gathered.withLock { gathered -> [Input]? in
            gathered.append(input)
            guard gathered.count == count else { return nil }
            defer { gathered = [] }
            return gathered
        }
        if let full { offer(full) }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        link.close()
        let rest = gathered.withLock { $0 }
        if !rest.isEmpty, !completion.isFailure { enqueue(rest) }
        finish(completion)
    }

    override func demandGrew(by demand: Subscribers.Demand) { link.request(demand * count) }
    override func ended() { link.cancel() }
}
