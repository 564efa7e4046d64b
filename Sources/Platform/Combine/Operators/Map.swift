extension Publishers {
    /// Changes each value.
    public struct Map<Upstream: Publisher, Output>: Publisher {
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// Makes the new value.
        public let transform: (Upstream.Output) -> Output

        /// Changes each value of `upstream`.
        public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Passage(to: subscriber, value: transform))
        }
    }

    /// Changes each value; a thrown error ends the sequence.
    public struct TryMap<Upstream: Publisher, Output>: Publisher {
        /// Any error: the upstream's or a thrown one.
        public typealias Failure = any Error
        /// Where the values come from.
        public let upstream: Upstream
        /// Makes the new value.
        public let transform: (Upstream.Output) throws -> Output

        /// Changes each value of `upstream`.
        public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output) {
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

    /// Reads one property of each value.
    public struct MapKeyPath<Upstream: Publisher, Output>: Publisher {
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// What is read.
        public let keyPath: KeyPath<Upstream.Output, Output>

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Passage(to: subscriber) { $0[keyPath: keyPath] })
        }
    }

    /// Reads two properties of each value.
    public struct MapKeyPath2<Upstream: Publisher, Output0, Output1>: Publisher {
        /// The two values.
        public typealias Output = (Output0, Output1)
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// What is read first.
        public let keyPath0: KeyPath<Upstream.Output, Output0>
        /// What is read second.
        public let keyPath1: KeyPath<Upstream.Output, Output1>

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Passage(to: subscriber) { ($0[keyPath: keyPath0], $0[keyPath: keyPath1]) })
        }
    }
}

extension Publisher {
    /// Changes each value by `transform`.
    public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
        Publishers.Map(upstream: self, transform: transform)
    }

    /// Changes each value by `transform`; an error that it throws ends the sequence.
    public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Self, T> {
        Publishers.TryMap(upstream: self, transform: transform)
    }

    /// Reads one property of each value.
    public func map<T>(_ keyPath: KeyPath<Output, T>) -> Publishers.MapKeyPath<Self, T> {
        Publishers.MapKeyPath(upstream: self, keyPath: keyPath)
    }

    /// Reads two properties of each value.
    public func map<T0, T1>(
        _ keyPath0: KeyPath<Output, T0>, _ keyPath1: KeyPath<Output, T1>
    ) -> Publishers.MapKeyPath2<Self, T0, T1> {
        Publishers.MapKeyPath2(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1)
    }
}
