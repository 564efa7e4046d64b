extension Subscribers {
    /// A subscriber that writes each value into a property of an object, which it retains until the end.
    public final class Assign<Root, Input>: Subscriber, Cancellable {
        /// Nothing can fail here.
        public typealias Failure = Never

        private let target: Guarded<Root?>
        private let link = Link()

        /// The property that is written.
        public let keyPath: ReferenceWritableKeyPath<Root, Input>

        /// The object that is written to; nil after the end.
        public var object: Root? { target.withLock { $0 } }

        /// A subscriber that writes into `object`.
        public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
            target = Guarded(object)
            self.keyPath = keyPath
        }

        /// Asks for everything. A second subscription is cancelled.
        public func receive(subscription: any Subscription) {
            link.request(.unlimited)
            link.connect(subscription)
        }

        /// Writes the value, on the publisher's thread.
        /// - Returns: None: everything was asked for at the start.
        public func receive(_ value: Input) -> Subscribers.Demand {
            object?[keyPath: keyPath] = value
            return .none
        }

        /// Lets go of the object.
        public func receive(completion: Subscribers.Completion<Never>) { cancel() }

        /// Stops, and lets go of the object.
        public func cancel() {
            let object = target.take()
            link.cancel()
            withExtendedLifetime(object) {}
        }
    }
}

extension Publisher where Failure == Never {
    /// Writes each value into a property of `object`, which is retained until the end of the sequence or of the token.
    /// - Returns: A token: the writing stops when it is cancelled or released.
    public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
        let assign = Subscribers.Assign(object: object, keyPath: keyPath)
        subscribe(assign)
        return AnyCancellable(assign)
    }
}
