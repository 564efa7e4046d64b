extension Publishers {
    /// Leaves out a value that equals the one before it.
    public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// Whether two values count as equal.
        public let predicate: (Output, Output) -> Bool

        /// Leaves out repeated values of `upstream`.
        public init(upstream: Upstream, predicate: @escaping (Output, Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var previous: Output?
            let passage = Passage<Output, Failure, S>(to: subscriber) { input in
                if let last = previous, predicate(last, input) { return nil }
                previous = .some(input)
                return input
            }
            upstream.subscribe(passage)
        }
    }

    /// Leaves out a value that equals the one before it; a thrown error ends the sequence.
    public struct TryRemoveDuplicates<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// Any error: the upstream's or a thrown one.
        public typealias Failure = any Error
        /// Where the values come from.
        public let upstream: Upstream
        /// Whether two values count as equal.
        public let predicate: (Output, Output) throws -> Bool

        /// Leaves out repeated values of `upstream`.
        public init(upstream: Upstream, predicate: @escaping (Output, Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            var previous: Output?
            let relay = Relay<Output, Upstream.Failure, S>(
                to: subscriber,
                value: { input in
                    .trying {
                        if let last = previous, try predicate(last, input) { return nil }
                        previous = .some(input)
                        return input
                    }
                }, completion: \.erased)
            upstream.subscribe(relay)
        }
    }
}

extension Publisher {
    /// Leaves out a value that equals the one before it, as `predicate` has it.
    public func removeDuplicates(
        by predicate: @escaping (Output, Output) -> Bool
    ) -> Publishers.RemoveDuplicates<Self> {
        Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
    }

    /// Leaves out a value that equals the one before it; an error that `predicate` throws ends the sequence.
    public func tryRemoveDuplicates(
        by predicate: @escaping (Output, Output) throws -> Bool
    ) -> Publishers.TryRemoveDuplicates<Self> {
        Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
    }
}

extension Publisher where Output: Equatable {
    /// Leaves out a value that equals the one before it.
    public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> { removeDuplicates(by: ==) }
}
