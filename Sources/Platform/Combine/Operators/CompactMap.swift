extension Publishers {
    /// Changes each value and leaves out those that become nil.
    public struct CompactMap<Upstream: Publisher, Output>: Publisher {
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// Makes the new value, or nil.
        public let transform: (Upstream.Output) -> Output?

        /// Changes the values of `upstream`.
        public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Passage(to: subscriber, value: transform))
        }
    }

    /// Changes each value and leaves out those that become nil; a thrown error ends the sequence.
    public struct TryCompactMap<Upstream: Publisher, Output>: Publisher {
        /// Any error: the upstream's or a thrown one.
        public typealias Failure = any Error
        /// Where the values come from.
        public let upstream: Upstream
        /// Makes the new value, or nil.
        public let transform: (Upstream.Output) throws -> Output?

        /// Changes the values of `upstream`.
        public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output?) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            let relay = Relay<Upstream.Output, Upstream.Failure, S>(
                to: subscriber, value: { input in .trying { try transform(input) } }, completion: \.erased)
            upstream.subscribe(relay)
        }
    }
}

extension Publisher {
    /// Changes each value by `transform` and leaves out those that become nil.
    public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> {
        Publishers.CompactMap(upstream: self, transform: transform)
    }

    /// Changes each value by `transform` and leaves out those that become nil; an error that it throws ends the sequence.
    public func tryCompactMap<T>(_ transform: @escaping (Output) throws -> T?) -> Publishers.TryCompactMap<Self, T> {
        Publishers.TryCompactMap(upstream: self, transform: transform)
    }
}
