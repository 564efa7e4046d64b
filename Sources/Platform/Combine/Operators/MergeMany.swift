extension Publishers {
    /// Sends the values of any number of publishers as they come.
    ///
    /// It finishes when all have, and fails with the first that fails.
    public struct MergeMany<Upstream: Publisher>: Publisher {
        /// The values of all.
        public typealias Output = Upstream.Output
        /// The error of all.
        public typealias Failure = Upstream.Failure
        /// The publishers.
        public let publishers: [Upstream]

        /// Merges `upstream`.
        public init(_ upstream: Upstream...) { publishers = upstream }

        /// Merges the publishers in `upstream`.
        public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream { publishers = Array(upstream) }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let all = Publishers.Sequence<[Upstream], Failure>(sequence: publishers)
            all.flatMap { $0 }.subscribe(subscriber)
        }

        /// These publishers and `other`.
        public func merge(with other: Upstream) -> MergeMany { MergeMany(publishers + [other]) }
    }
}

extension Publisher {
    /// Sends the values of this publisher and of another of the same type as they come.
    public func merge(with other: Self) -> Publishers.MergeMany<Self> { Publishers.MergeMany([self, other]) }
}
