extension Publishers {
    /// Sends what all values amount to, at the end.
    public struct Reduce<Upstream: Publisher, Output>: Publisher {
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// What there is before the first value.
        public let initial: Output
        /// Takes one more value in.
        public let nextPartialResult: (Output, Upstream.Output) -> Output

        /// Adds up the values of `upstream`.
        public init(
            upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) -> Output
        ) {
            self.upstream = upstream
            self.initial = initial
            self.nextPartialResult = nextPartialResult
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var result = initial
            let reduction = Reduction<Upstream.Output, Failure, Output, Failure>(
                to: subscriber,
                value: { input in
                    result = nextPartialResult(result, input)
                    return .goOn
                }, end: { .result(result) })
            upstream.subscribe(reduction)
        }
    }

    /// Sends what all values amount to, at the end; a thrown error ends the sequence.
    public struct TryReduce<Upstream: Publisher, Output>: Publisher {
        /// Any error: the upstream's or a thrown one.
        public typealias Failure = any Error
        /// Where the values come from.
        public let upstream: Upstream
        /// What there is before the first value.
        public let initial: Output
        /// Takes one more value in.
        public let nextPartialResult: (Output, Upstream.Output) throws -> Output

        /// Adds up the values of `upstream`.
        public init(
            upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
        ) {
            self.upstream = upstream
            self.initial = initial
            self.nextPartialResult = nextPartialResult
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            var result = initial
            let reduction = Reduction<Upstream.Output, Upstream.Failure, Output, any Error>(
                to: subscriber,
                value: { input in
                    .trying {
                        result = try nextPartialResult(result, input)
                        return .goOn
                    }
                }, end: { .result(result) }, failure: { $0 })
            upstream.subscribe(reduction)
        }
    }

    /// Sends how many values there were, at the end.
    public struct Count<Upstream: Publisher>: Publisher {
        /// A count.
        public typealias Output = Int
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream

        /// Counts the values of `upstream`.
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.reduce(0) { count, _ in count + 1 }.subscribe(subscriber)
        }
    }

    /// Lets through nothing but the ending.
    public struct IgnoreOutput<Upstream: Publisher>: Publisher {
        /// No value comes.
        public typealias Output = Never
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream

        /// Ignores the values of `upstream`.
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Passage<Upstream.Output, Failure, S>(to: subscriber) { _ in nil })
        }
    }
}

extension Publisher {
    /// Sends what all values amount to, at the end.
    public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
    ) -> Publishers.Reduce<Self, T> {
        Publishers.Reduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
    }

    /// Sends what all values amount to, at the end; an error that `nextPartialResult` throws ends the sequence.
    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
    ) -> Publishers.TryReduce<Self, T> {
        Publishers.TryReduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
    }

    /// Sends how many values there were, at the end.
    public func count() -> Publishers.Count<Self> { Publishers.Count(upstream: self) }

    /// Lets through nothing but the ending.
    public func ignoreOutput() -> Publishers.IgnoreOutput<Self> { Publishers.IgnoreOutput(upstream: self) }
}
