extension Subscribers {
    /// A subscriber that asks for everything and calls closures.
    ///
    /// The closures run on whichever thread the publisher uses, one call at a time. They are released on completion and
    /// cancellation.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        private struct Handlers {
            var value: (Input) -> Void
            var completion: (Subscribers.Completion<Failure>) -> Void
        }

        private let handlers: Guarded<Handlers?>
        private let link = Link()

        /// Called with the ending.
        public var receiveCompletion: (Subscribers.Completion<Failure>) -> Void {
            handlers.withLock { $0 }?.completion ?? { _ in }
        }

        /// Called with each value.
        public var receiveValue: (Input) -> Void {
            handlers.withLock { $0 }?.value ?? { _ in }
        }

        /// A subscriber that calls the closures.
        public init(
            receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
            receiveValue: @escaping (Input) -> Void
        ) {
            handlers = Guarded(Handlers(value: receiveValue, completion: receiveCompletion))
        }

        /// Asks for everything. A second subscription is cancelled.
        public func receive(subscription: any Subscription) {
            link.request(.unlimited)
            link.connect(subscription)
        }

        /// Calls the closure.
        /// - Returns: None: everything was asked for at the start.
        public func receive(_ value: Input) -> Subscribers.Demand {
            handlers.withLock { $0 }?.value(value)
            return .none
        }

        /// Calls the closure and lets go of everything.
        public func receive(completion: Subscribers.Completion<Failure>) {
            link.close()
            handlers.take()?.completion(completion)
        }

        /// Stops: nothing more is delivered.
        public func cancel() {
            let handlers = handlers.take()
            link.cancel()
            withExtendedLifetime(handlers) {}
        }
    }
}

extension Publisher {
    /// Calls `receiveValue` with each value and `receiveCompletion` with the ending.
    /// - Returns: A token: delivery stops when it is cancelled or released.
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let sink = Subscribers.Sink<Output, Failure>(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        subscribe(sink)
        return AnyCancellable(sink)
    }
}

extension Publisher where Failure == Never {
    /// Calls `receiveValue` with each value.
    /// - Returns: A token: delivery stops when it is cancelled or released.
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}
