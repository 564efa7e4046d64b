extension Publishers {
    /// Says whether a value is among the upstream's: true at once, false at the end.
    public struct Contains<Upstream: Publisher>: Publisher where Upstream.Output: Equatable {
        /// The answer.
        public typealias Output = Bool
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// What is looked for.
        public let output: Upstream.Output

        /// Looks for `output` in `upstream`.
        public init(upstream: Upstream, output: Upstream.Output) {
            self.upstream = upstream
            self.output = output
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let reduction = Reduction<Upstream.Output, Failure, Bool, Failure>(
                to: subscriber, value: { input in input == output ? .result(true) : .goOn },
                end: { .result(false) })
            upstream.subscribe(reduction)
        }
    }

    /// Says whether a value satisfies a condition: true at once, false at the end.
    public struct ContainsWhere<Upstream: Publisher>: Publisher {
        /// The answer.
        public typealias Output = Bool
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// The condition.
        public let predicate: (Upstream.Output) -> Bool

        /// Looks for a value of `upstream` that satisfies `predicate`.
        public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let reduction = Reduction<Upstream.Output, Failure, Bool, Failure>(
                to: subscriber, value: { input in predicate(input) ? .result(true) : .goOn },
                end: { .result(false) })
            upstream.subscribe(reduction)
        }
    }

    /// Says whether a value satisfies a condition; a thrown error ends the sequence.
    public struct TryContainsWhere<Upstream: Publisher>: Publisher {
        /// The answer.
        public typealias Output = Bool
        /// Any error: the upstream's or a thrown one.
        public typealias Failure = any Error
        /// Where the values come from.
        public let upstream: Upstream
        /// The condition.
        public let predicate: (Upstream.Output) throws -> Bool

        /// Looks for a value of `upstream` that satisfies `predicate`.
        public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            let reduction = Reduction<Upstream.Output, Upstream.Failure, Bool, any Error>(
                to: subscriber, value: { input in .trying { try predicate(input) ? .result(true) : .goOn } },
                end: { .result(false) }, failure: { $0 })
            upstream.subscribe(reduction)
        }
    }

    /// Says whether all values satisfy a condition: false at once, true at the end.
    public struct AllSatisfy<Upstream: Publisher>: Publisher {
        /// The answer.
        public typealias Output = Bool
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// The condition.
        public let predicate: (Upstream.Output) -> Bool

        /// Tests the values of `upstream`.
        public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let reduction = Reduction<Upstream.Output, Failure, Bool, Failure>(
                to: subscriber, value: { input in !predicate(input) ? .result(false) : .goOn },
                end: { .result(true) })
            upstream.subscribe(reduction)
        }
    }

    /// Says whether all values satisfy a condition; a thrown error ends the sequence.
    public struct TryAllSatisfy<Upstream: Publisher>: Publisher {
        /// The answer.
        public typealias Output = Bool
        /// Any error: the upstream's or a thrown one.
        public typealias Failure = any Error
        /// Where the values come from.
        public let upstream: Upstream
        /// The condition.
        public let predicate: (Upstream.Output) throws -> Bool

        /// Tests the values of `upstream`.
        public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            let reduction = Reduction<Upstream.Output, Upstream.Failure, Bool, any Error>(
                to: subscriber, value: { input in .trying { try !predicate(input) ? .result(false) : .goOn } },
                end: { .result(true) }, failure: { $0 })
            upstream.subscribe(reduction)
        }
    }
}

extension Publisher {
    /// Says whether a value satisfies `predicate`: true at once, false at the end.
    public func contains(where predicate: @escaping (Output) -> Bool) -> Publishers.ContainsWhere<Self> {
        Publishers.ContainsWhere(upstream: self, predicate: predicate)
    }

    /// Says whether a value satisfies `predicate`; an error that it throws ends the sequence.
    public func tryContains(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryContainsWhere<Self> {
        Publishers.TryContainsWhere(upstream: self, predicate: predicate)
    }

    /// Says whether all values satisfy `predicate`: false at once, true at the end.
    public func allSatisfy(_ predicate: @escaping (Output) -> Bool) -> Publishers.AllSatisfy<Self> {
        Publishers.AllSatisfy(upstream: self, predicate: predicate)
    }

    /// Says whether all values satisfy `predicate`; an error that it throws ends the sequence.
    public func tryAllSatisfy(_ predicate: @escaping (Output) throws -> Bool) -> Publishers.TryAllSatisfy<Self> {
        Publishers.TryAllSatisfy(upstream: self, predicate: predicate)
    }
}

extension Publisher where Output: Equatable {
    /// Says whether `output` is among the values: true at once, false at the end.
    public func contains(_ output: Output) -> Publishers.Contains<Self> {
        Publishers.Contains(upstream: self, output: output)
    }
}
