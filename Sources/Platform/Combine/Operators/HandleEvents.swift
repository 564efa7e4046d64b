extension Publishers {
    /// Calls closures as events pass.
    public struct HandleEvents<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// Called when the upstream hands out its subscription.
        public var receiveSubscription: ((any Subscription) -> Void)?
        /// Called before each value goes on.
        public var receiveOutput: ((Output) -> Void)?
        /// Called before the ending goes on.
        public var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
        /// Called when the subscriber cancels.
        public var receiveCancel: (() -> Void)?
        /// Called when the subscriber asks for values.
        public var receiveRequest: ((Subscribers.Demand) -> Void)?

        /// Calls the closures as the events of `upstream` pass.
        public init(
            upstream: Upstream,
            receiveSubscription: ((any Subscription) -> Void)? = nil,
            receiveOutput: ((Output) -> Void)? = nil,
            receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
            receiveCancel: (() -> Void)? = nil,
            receiveRequest: ((Subscribers.Demand) -> Void)?
        ) {
            self.upstream = upstream
            self.receiveSubscription = receiveSubscription
            self.receiveOutput = receiveOutput
            self.receiveCompletion = receiveCompletion
            self.receiveCancel = receiveCancel
            self.receiveRequest = receiveRequest
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Observer(to: subscriber, handlers: self))
        }
    }
}

extension Publisher {
    /// Calls the closures as events pass, on whichever thread they pass.
    public func handleEvents(
        receiveSubscription: ((any Subscription) -> Void)? = nil,
        receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
        receiveCancel: (() -> Void)? = nil,
        receiveRequest: ((Subscribers.Demand) -> Void)? = nil
    ) -> Publishers.HandleEvents<Self> {
        Publishers.HandleEvents(
            upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion, receiveCancel: receiveCancel, receiveRequest: receiveRequest)
    }
}

extension Publishers.HandleEvents {
    private final class Observer<Downstream: Subscriber>: Subscriber, Subscription
    where Downstream.Input == Output, Downstream.Failure == Failure {
        private struct State {
            var downstream: Downstream
            var handlers: Publishers.HandleEvents<Upstream>
        }

        private let state: Guarded<State?>
        private let link = Link()

        init(to downstream: Downstream, handlers: Publishers.HandleEvents<Upstream>) {
            state = Guarded(State(downstream: downstream, handlers: handlers))
        }

        func receive(subscription: any Subscription) {
            guard let state = state.withLock({ $0 }) else { return subscription.cancel() }
            state.handlers.receiveSubscription?(subscription)
            state.downstream.receive(subscription: self)
            link.connect(subscription)
        }

        func receive(_ input: Output) -> Subscribers.Demand {
            guard let current = state.withLock({ $0 }) else { return .none }
            current.handlers.receiveOutput?(input)
            let demand = current.downstream.receive(input)
            if demand > .none { current.handlers.receiveRequest?(demand) }
            return demand
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            guard let state = state.take() else { return }
            link.close()
            state.handlers.receiveCompletion?(completion)
            state.downstream.receive(completion: completion)
        }

        func request(_ demand: Subscribers.Demand) {
            state.withLock { $0?.handlers.receiveRequest }?(demand)
            link.request(demand)
        }

        func cancel() {
            let state = state.take()
            state?.handlers.receiveCancel?()
            link.cancel()
        }
    }
}
