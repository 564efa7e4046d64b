extension Publishers {
    /// Leaves out the first values.
    public struct Drop<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// How many are left out.
        public let count: Int

        /// Leaves out the first `count` values of `upstream`.
        public init(upstream: Upstream, count: Int) {
            self.upstream = upstream
            self.count = count
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var left = count
            let passage = Passage<Output, Failure, S>(to: subscriber) { input in
                guard left > 0 else { return input }
                left -= 1
                return nil
            }
            upstream.subscribe(passage)
        }
    }

    /// Leaves out values as long as they satisfy a condition.
    public struct DropWhile<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// The condition.
        public let predicate: (Output) -> Bool

        /// Leaves out the values of `upstream` up to the first that does not satisfy `predicate`.
        public init(upstream: Upstream, predicate: @escaping (Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var dropping = true
            let passage = Passage<Output, Failure, S>(to: subscriber) { input in
                if dropping, predicate(input) { return nil }
                dropping = false
                return input
            }
            upstream.subscribe(passage)
        }
    }

    /// Leaves out values as long as they satisfy a condition; a thrown error ends the sequence.
    public struct TryDropWhile<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// Any error: the upstream's or a thrown one.
        public typealias Failure = any Error
        /// Where the values come from.
        public let upstream: Upstream
        /// The condition.
        public let predicate: (Output) throws -> Bool

        /// Leaves out the values of `upstream` up to the first that does not satisfy `predicate`.
        public init(upstream: Upstream, predicate: @escaping (Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            var dropping = true
            let relay = Relay<Output, Upstream.Failure, S>(
                to: subscriber,
                value: { input in
                    .trying {
                        if dropping, try predicate(input) { return nil }
                        dropping = false
                        return input
                    }
                }, completion: \.erased)
            upstream.subscribe(relay)
        }
    }
}

extension Publisher {
    /// Leaves out the first `count` values.
    /// - Precondition: `count` is not negative.
    public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
        precondition(count >= 0, "cannot drop \(count) values")
        return Publishers.Drop(upstream: self, count: count)
    }

    /// Leaves out values as long as they satisfy `predicate`.
    public func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> {
        Publishers.DropWhile(upstream: self, predicate: predicate)
    }

    /// Leaves out values as long as they satisfy `predicate`; an error that it throws ends the sequence.
    public func tryDrop(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryDropWhile<Self> {
        Publishers.TryDropWhile(upstream: self, predicate: predicate)
    }
}
