extension Publishers {
    /// Sends what all values so far amount to, after each.
    public struct Scan<Upstream: Publisher, Output>: Publisher {
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// What there is before the first value.
        public let initialResult: Output
        /// Takes one more value in.
        public let nextPartialResult: (Output, Upstream.Output) -> Output

        /// Adds up the values of `upstream`.
        public init(
            upstream: Upstream, initialResult: Output, nextPartialResult: @escaping (Output, Upstream.Output) -> Output
        ) {
            self.upstream = upstream
            self.initialResult = initialResult
            self.nextPartialResult = nextPartialResult
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var result = initialResult
            let passage = Passage<Upstream.Output, Failure, S>(to: subscriber) { input in
                let next = nextPartialResult(result, input)
                result = next
                return next
            }
            upstream.subscribe(passage)
        }
    }

    /// Sends what all values so far amount to, after each; a thrown error ends the sequence.
    public struct TryScan<Upstream: Publisher, Output>: Publisher {
        /// Any error: the upstream's or a thrown one.
        public typealias Failure = any Error
        /// Where the values come from.
        public let upstream: Upstream
        /// What there is before the first value.
        public let initialResult: Output
        /// Takes one more value in.
        public let nextPartialResult: (Output, Upstream.Output) throws -> Output

        /// Adds up the values of `upstream`.
        public init(
            upstream: Upstream, initialResult: Output,
            nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
        ) {
            self.upstream = upstream
            self.initialResult = initialResult
            self.nextPartialResult = nextPartialResult
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            var result = initialResult
            let relay = Relay<Upstream.Output, Upstream.Failure, S>(
                to: subscriber,
                value: { input in
                    .trying {
                        let next = try nextPartialResult(result, input)
                        result = next
                        return next
                    }
                }, completion: \.erased)
            upstream.subscribe(relay)
        }
    }
}

extension Publisher {
    /// Sends what all values so far amount to, after each.
    public func scan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
    ) -> Publishers.Scan<Self, T> {
        Publishers.Scan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
    }

    /// Sends what all values so far amount to, after each; an error that `nextPartialResult` throws ends the sequence.
    public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
    ) -> Publishers.TryScan<Self, T> {
        Publishers.TryScan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
    }
}
