extension Publishers {
    /// Sends the time between one value and the next.
    public struct MeasureInterval<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// A length of time.
        public typealias Output = Context.SchedulerTimeType.Stride
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Whose values are timed.
        public let upstream: Upstream
        /// Whose clock counts.
        public let scheduler: Context

        /// Times the values of `upstream`.
        public init(upstream: Upstream, scheduler: Context) {
            self.upstream = upstream
            self.scheduler = scheduler
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var last = scheduler.now
            let passage = Passage<Upstream.Output, Failure, S>(to: subscriber) { _ in
                let now = scheduler.now
                defer { last = now }
                return last.distance(to: now)
            }
            upstream.subscribe(passage)
        }
    }
}

extension Publisher {
    /// Sends the time since the value before (for the first: since the subscription) by the clock of `scheduler`.
    public func measureInterval<S: Scheduler>(
        using scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.MeasureInterval<Self, S> {
        Publishers.MeasureInterval(upstream: self, scheduler: scheduler)
    }
}
