extension Publishers {
    /// Lets through the values that satisfy a condition.
    public struct Filter<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// The condition.
        public let isIncluded: (Output) -> Bool

        /// Lets through some values of `upstream`.
        public init(upstream: Upstream, isIncluded: @escaping (Output) -> Bool) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Passage(to: subscriber) { isIncluded($0) ? .some($0) : .none })
        }
    }

    /// Lets through the values that satisfy a condition; a thrown error ends the sequence.
    public struct TryFilter<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// Any error: the upstream's or a thrown one.
        public typealias Failure = any Error
        /// Where the values come from.
        public let upstream: Upstream
        /// The condition.
        public let isIncluded: (Output) throws -> Bool

        /// Lets through some values of `upstream`.
        public init(upstream: Upstream, isIncluded: @escaping (Output) throws -> Bool) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            let relay = Relay<Output, Upstream.Failure, S>(
                to: subscriber,
                value: { input in .trying { try isIncluded(input) ? .some(input) : .none } },
                completion: \.erased)
            upstream.subscribe(relay)
        }
    }
}

extension Publisher {
    /// Lets through the values that satisfy `isIncluded`.
    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self, isIncluded: isIncluded)
    }

    /// Lets through the values that satisfy `isIncluded`; an error that it throws ends the sequence.
    public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Self> {
        Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
    }
}
