extension Optional {
    /// Publishes the value, if there is one, and finishes.
    public struct Publisher: Combine.Publisher {
        /// The value's type.
        public typealias Output = Wrapped
        /// Nothing can fail here.
        public typealias Failure = Never

        /// What is published.
        public let output: Wrapped?

        /// Publishes `output`.
        public init(_ output: Wrapped?) { self.output = output }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            guard let output else { return Empty().subscribe(subscriber) }
            Just(output).subscribe(subscriber)
        }
    }

    /// A publisher of the value, if there is one.
    public var publisher: Publisher { Publisher(self) }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}
extension Optional.Publisher: Sendable where Wrapped: Sendable {}
