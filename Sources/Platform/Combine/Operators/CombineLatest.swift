extension Publishers {
    /// Sends the newest values of two publishers whenever one of them sends, once both have.
    ///
    /// It finishes when both have, and fails with the first that fails. Without demand the newest pair waits.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        /// One value of each.
        public typealias Output = (A.Output, B.Output)
        /// The error of both.
        public typealias Failure = A.Failure
        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B

        /// Combines the newest values of the publishers.
        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outlet = LatestOutlet<A.Output, B.Output, Failure>(subscriber)
            outlet.start()
            a.subscribe(outlet.first)
            b.subscribe(outlet.second)
        }
    }

    /// Sends the newest values of three publishers whenever one of them sends, once all have.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure {
        /// One value of each.
        public typealias Output = (A.Output, B.Output, C.Output)
        /// The error of all.
        public typealias Failure = A.Failure
        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B
        /// The third publisher.
        public let c: C

        /// Combines the newest values of the publishers.
        public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            CombineLatest(CombineLatest(a, b), c).map { ($0.0, $0.1, $1) }.subscribe(subscriber)
        }
    }

    /// Sends the newest values of four publishers whenever one of them sends, once all have.
    public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
        /// One value of each.
        public typealias Output = (A.Output, B.Output, C.Output, D.Output)
        /// The error of all.
        public typealias Failure = A.Failure
        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B
        /// The third publisher.
        public let c: C
        /// The fourth publisher.
        public let d: D

        /// Combines the newest values of the publishers.
        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            CombineLatest(CombineLatest3(a, b, c), d).map { ($0.0, $0.1, $0.2, $1) }.subscribe(subscriber)
        }
    }
}

extension Publisher {
    /// Sends the newest values of this publisher and of `other` whenever one of them sends.
    public func combineLatest<P: Publisher>(
        _ other: P
    ) -> Publishers.CombineLatest<Self, P> where P.Failure == Failure {
        Publishers.CombineLatest(self, other)
    }

    /// Sends what `transform` makes of the newest values of both publishers.
    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where P.Failure == Failure {
        combineLatest(other).map { transform($0, $1) }
    }

    /// Sends the newest values of this publisher and of two others whenever one of them sends.
    public func combineLatest<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> Publishers.CombineLatest3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure {
        Publishers.CombineLatest3(self, publisher1, publisher2)
    }

    /// Sends what `transform` makes of the newest values of three publishers.
    public func combineLatest<P: Publisher, Q: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, T> where P.Failure == Failure, Q.Failure == Failure {
        combineLatest(publisher1, publisher2).map { transform($0, $1, $2) }
    }

    /// Sends the newest values of this publisher and of three others whenever one of them sends.
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R
    ) -> Publishers.CombineLatest4<Self, P, Q, R>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
    }

    /// Sends what `transform` makes of the newest values of four publishers.
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R,
        _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        combineLatest(publisher1, publisher2, publisher3).map { transform($0, $1, $2, $3) }
    }
}

/// Where two publishers' newest values meet. A value that makes no pair is made good by asking for another.
private final class LatestOutlet<First, Second, Failure: Error>: Outlet<(First, Second), Failure> {
    private struct State {
        var first: First?
        var second: Second?
        var running = 2
    }

    private let state = Guarded(State())
    private(set) lazy var first = Branch<First, Failure>(
        value: { value in
            self.pair { state in
                defer { state.first = .some(value) }
                return state.second.map { (displaced: state.first, pair: (value, $0)) }
                    ?? (displaced: state.first, pair: nil)
            }
        }, completion: { self.branchEnded($0) })
    private(set) lazy var second = Branch<Second, Failure>(
        value: { value in
            self.pair { state in
                defer { state.second = .some(value) }
                return state.first.map { (displaced: state.second, pair: ($0, value)) }
                    ?? (displaced: state.second, pair: nil)
            }
        }, completion: { self.branchEnded($0) })

    init(_ downstream: some Subscriber<(First, Second), Failure>) {
        super.init(downstream, surplus: .keepLatest)
        // Made before another thread can see this object.
        _ = (first, second)
    }

    private func pair<Old>(_ update: (inout State) -> (displaced: Old?, pair: (First, Second)?)) -> Subscribers.Demand {
        let (displaced, isPair) = state.withLock { state in
            let (displaced, pair) = update(&state)
            if let pair { enqueue(pair) }
            return (displaced, pair != nil)
        }
        withExtendedLifetime(displaced) {}
        guard isPair else { return .max(1) }
        deliver()
        return .none
    }

    private func branchEnded(_ completion: Subscribers.Completion<Failure>) {
        let isDone = state.withLock { state in
            state.running -= 1
            return state.running == 0
        }
        if completion.isFailure || isDone { finish(completion) }
    }

    /// Asks both sides before anything that waits is sent, so that it is replaced by the newest pair.
    override func request(_ demand: Subscribers.Demand) {
        demandGrew(by: demand)
        grow(by: demand)
        deliver()
    }

    override func demandGrew(by demand: Subscribers.Demand) {
        first.request(demand)
        second.request(demand)
    }

    override func ended() {
        first.cancel()
        second.cancel()
    }
}
