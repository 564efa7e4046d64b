extension Publishers {
    /// Sends the last value, at the end.
    public struct Last<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream

        /// Takes the last value of `upstream`.
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var last: Output?
            let reduction = Reduction<Output, Failure, Output, Failure>(
                to: subscriber,
                value: { input in
                    last = .some(input)
                    return .goOn
                }, end: { last.map { .result($0) } ?? .nothing })
            upstream.subscribe(reduction)
        }
    }

    /// Sends the last value that satisfies a condition, at the end.
    public struct LastWhere<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// The condition.
        public let predicate: (Output) -> Bool

        /// Takes the last value of `upstream` that satisfies `predicate`.
        public init(upstream: Upstream, predicate: @escaping (Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var last: Output?
            let reduction = Reduction<Output, Failure, Output, Failure>(
                to: subscriber,
                value: { input in
                    if predicate(input) { last = .some(input) }
                    return .goOn
                }, end: { last.map { .result($0) } ?? .nothing })
            upstream.subscribe(reduction)
        }
    }

    /// Sends the last value that satisfies a condition, at the end; a thrown error ends the sequence.
    public struct TryLastWhere<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// Any error: the upstream's or a thrown one.
        public typealias Failure = any Error
        /// Where the values come from.
        public let upstream: Upstream
        /// The condition.
        public let predicate: (Output) throws -> Bool

        /// Takes the last value of `upstream` that satisfies `predicate`.
        public init(upstream: Upstream, predicate: @escaping (Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            var last: Output?
            let reduction = Reduction<Output, Upstream.Failure, Output, any Error>(
                to: subscriber,
                value: { input in
                    .trying {
                        if try predicate(input) { last = .some(input) }
                        return .goOn
                    }
                }, end: { last.map { .result($0) } ?? .nothing }, failure: { $0 })
            upstream.subscribe(reduction)
        }
    }

    /// Sends the value that comes before all others in an order, at the end; of equal ones the first.
    public struct Comparison<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// Whether the second value takes the first one's place.
        public let areInIncreasingOrder: (Output, Output) -> Bool

        /// Compares the values of `upstream`.
        public init(upstream: Upstream, areInIncreasingOrder: @escaping (Output, Output) -> Bool) {
            self.upstream = upstream
            self.areInIncreasingOrder = areInIncreasingOrder
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var best: Output?
            let reduction = Reduction<Output, Failure, Output, Failure>(
                to: subscriber,
                value: { input in
                    guard let leader = best else {
                        best = .some(input)
                        return .goOn
                    }
                    if areInIncreasingOrder(leader, input) { best = .some(input) }
                    return .goOn
                }, end: { best.map { .result($0) } ?? .nothing })
            upstream.subscribe(reduction)
        }
    }
}

extension Publisher {
    /// Sends the last value, at the end.
    public func last() -> Publishers.Last<Self> { Publishers.Last(upstream: self) }

    /// Sends the last value that satisfies `predicate`, at the end.
    public func last(where predicate: @escaping (Output) -> Bool) -> Publishers.LastWhere<Self> {
        Publishers.LastWhere(upstream: self, predicate: predicate)
    }

    /// Sends the last value that satisfies `predicate`, at the end; an error that it throws ends the sequence.
    public func tryLast(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryLastWhere<Self> {
        Publishers.TryLastWhere(upstream: self, predicate: predicate)
    }

    /// Sends the greatest value, at the end.
    public func max(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
        Publishers.Comparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
    }

    /// Sends the least value, at the end.
    public func min(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
        Publishers.Comparison(upstream: self) { areInIncreasingOrder($1, $0) }
    }
}

extension Publisher where Output: Comparable {
    /// Sends the greatest value, at the end.
    public func max() -> Publishers.Comparison<Self> { max(by: <) }

    /// Sends the least value, at the end.
    public func min() -> Publishers.Comparison<Self> { min(by: <) }
}
