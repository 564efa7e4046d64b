extension Publishers {
    /// Delivers on a scheduler.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// Where they are delivered.
        public let scheduler: Context
        /// How they are scheduled.
        public let options: Context.SchedulerOptions?

        /// Delivers the values of `upstream` on `scheduler`.
        public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                ScheduledOutlet(subscriber) { [scheduler, options] in scheduler.schedule(options: options, $0) })
        }
    }

    /// Subscribes, asks and cancels on a scheduler.
    public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// Where the upstream is called.
        public let scheduler: Context
        /// How the calls are scheduled.
        public let options: Context.SchedulerOptions?

        /// Calls `upstream` on `scheduler`.
        public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let caller = RemoteCaller(to: subscriber) { [scheduler, options] in
                scheduler.schedule(options: options, $0)
            }
            scheduler.schedule(options: options) { upstream.subscribe(caller) }
        }
    }
}

extension Publisher {
    /// Delivers on `scheduler`, in order and one event at a time even if the scheduler is concurrent.
    public func receive<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.ReceiveOn<Self, S> {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }

    /// Subscribes to this publisher, asks it for values and cancels on `scheduler`.
    public func subscribe<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.SubscribeOn<Self, S> {
        Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
    }
}

/// Passes events on as they come and calls the upstream on a scheduler.
private final class RemoteCaller<Downstream: Subscriber>: Subscriber, Subscription {
    private let downstream: Guarded<Downstream?>
    private let link = Link()
    private let schedule: (@escaping () -> Void) -> Void

    init(to downstream: Downstream, schedule: @escaping (@escaping () -> Void) -> Void) {
        self.downstream = Guarded(downstream)
        self.schedule = schedule
    }

    func receive(subscription: any Subscription) {
        guard let downstream = downstream.withLock({ $0 }) else { return subscription.cancel() }
        link.connect(subscription)
        downstream.receive(subscription: self)
    }

    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        let more = downstream.withLock { $0 }?.receive(input) ?? .none
        request(more)
        return .none
    }

    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        link.close()
        downstream.take()?.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        schedule { [link] in link.request(demand) }
    }

    func cancel() {
        let downstream = downstream.take()
        schedule { [link] in link.cancel() }
        withExtendedLifetime(downstream) {}
    }
}
