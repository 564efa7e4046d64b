extension Publishers {
    /// Pairs the values of two publishers: first with first, second with second.
    ///
    /// It finishes when one has finished and its values are used up, and fails with the first that fails.
    public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        /// One value of each.
        public typealias Output = (A.Output, B.Output)
        /// The error of both.
        public typealias Failure = A.Failure
        /// The first publisher.
        public let a: A
        /// The second publisher.
        public let b: B

        /// Pairs the values of the publishers.
        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outlet = ZipOutlet<A.Output, B.Output, Failure>(subscriber)
            outlet.start()
            a.subscribe(outlet.first)
            b.subscribe(outlet.second)
        }
    }

    /// Groups the values of three publishers by position.
    public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
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

        /// Groups the values of the publishers.
        public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            Zip(Zip(a, b), c).map { ($0.0, $0.1, $1) }.subscribe(subscriber)
        }
    }

    /// Groups the values of four publishers by position.
    public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
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

        /// Groups the values of the publishers.
        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            Zip(Zip3(a, b, c), d).map { ($0.0, $0.1, $0.2, $1) }.subscribe(subscriber)
        }
    }
}

extension Publisher {
    /// Pairs the values of this publisher with those of `other`.
    public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P> where P.Failure == Failure {
        Publishers.Zip(self, other)
    }

    /// Sends what `transform` makes of each pair of values.
    public func zip<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.Zip<Self, P>, T> where P.Failure == Failure {
        zip(other).map { transform($0, $1) }
    }

    /// Groups the values of this publisher with those of two others.
    public func zip<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> Publishers.Zip3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure {
        Publishers.Zip3(self, publisher1, publisher2)
    }

    /// Sends what `transform` makes of each group of three values.
    public func zip<P: Publisher, Q: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Map<Publishers.Zip3<Self, P, Q>, T> where P.Failure == Failure, Q.Failure == Failure {
        zip(publisher1, publisher2).map { transform($0, $1, $2) }
    }

    /// Groups the values of this publisher with those of three others.
    public func zip<P: Publisher, Q: Publisher, R: Publisher>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R
    ) -> Publishers.Zip4<Self, P, Q, R> where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        Publishers.Zip4(self, publisher1, publisher2, publisher3)
    }

    /// Sends what `transform` makes of each group of four values.
    public func zip<P: Publisher, Q: Publisher, R: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R,
        _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Map<Publishers.Zip4<Self, P, Q, R>, T>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        zip(publisher1, publisher2, publisher3).map { transform($0, $1, $2, $3) }
    }
}

/// Where two publishers' values wait for each other. Each is asked for as many as there may be pairs.
private final class ZipOutlet<First, Second, Failure: Error>: Outlet<(First, Second), Failure> {
    private struct State {
        var first = FIFO<First>()
        var second = FIFO<Second>()
        var firstIsOver = false
        var secondIsOver = false

        var isDone: Bool { (firstIsOver && first.isEmpty) || (secondIsOver && second.isEmpty) }
    }

    private let state = Guarded(State())
    private(set) lazy var first = Branch<First, Failure>(
        value: { value in self.update { $0.first.append(value) } },
        completion: { self.branchEnded($0) { $0.firstIsOver = true } })
    private(set) lazy var second = Branch<Second, Failure>(
        value: { value in self.update { $0.second.append(value) } },
        completion: { self.branchEnded($0) { $0.secondIsOver = true } })

    init(_ downstream: some Subscriber<(First, Second), Failure>) {
        super.init(downstream, surplus: .keep)
        // Made before another thread can see this object.
        _ = (first, second)
    }

    @discardableResult
    private func update(_ change: (inout State) -> Void) -> Subscribers.Demand {
        state.withLock { state in
            change(&state)
            if !state.first.isEmpty, !state.second.isEmpty,
                let first = state.first.popFirst(), let second = state.second.popFirst()
            {
                enqueue((first, second))
            }
            if state.isDone { enqueue(completion: .finished) }
        }
        deliver()
        return .none
    }

    private func branchEnded(
        _ completion: Subscribers.Completion<Failure>, _ change: (inout State) -> Void
    ) {
        if completion.isFailure { finish(completion) } else { update(change) }
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
