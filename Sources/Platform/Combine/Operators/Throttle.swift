extension Publishers {
    /// Sends at most one value in a time.
    public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// The time between two values.
        public let interval: Context.SchedulerTimeType.Stride
        /// Where the values are delivered.
        public let scheduler: Context
        /// Whether the newest value of a time is sent, or the first.
        public let latest: Bool

        /// Sends at most one value of `upstream` in `interval`.
        public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool
        ) {
            self.upstream = upstream
            self.interval = interval
            self.scheduler = scheduler
            self.latest = latest
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outlet = ThrottleOutlet(subscriber, interval: interval, scheduler: scheduler, latest: latest)
            upstream.subscribe(outlet)
        }
    }
}

extension Publisher {
    /// Sends at most one value in `interval`, on `scheduler`: the first at once, and after each the newest (or the first)
    /// that came in the interval. A value that waits when the sequence ends is sent before the ending.
    public func throttle<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
    ) -> Publishers.Throttle<Self, S> {
        Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
    }
}

private final class ThrottleOutlet<Value, Fault: Error, Context: Scheduler>: ScheduledOutlet<Value, Fault> {
    private struct State {
        var waiting: Value?
        /// When the next value may go out; nil before the first.
        var due: Context.SchedulerTimeType?
        var hasAlarm = false
    }

    private enum Arrival {
        case send
        case waitUntil(Context.SchedulerTimeType)
        case wait
    }

    private let interval: Context.SchedulerTimeType.Stride
    private let scheduler: Context
    private let latest: Bool
    private let state = Guarded(State())

    init(
        _ downstream: some Subscriber<Value, Fault>, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
        latest: Bool
    ) {
        self.interval = interval
        self.scheduler = scheduler
        self.latest = latest
        super.init(downstream, surplus: .keepLatest) { scheduler.schedule($0) }
    }

    override func receive(subscription: any Subscription) {
        start()
        link.request(.unlimited)
        link.connect(subscription)
    }

    override func receive(_ input: Value) -> Subscribers.Demand {
        let now = scheduler.now
        let next = now.advanced(by: interval)
        let (arrival, replaced) = state.withLock { state -> (Arrival, Value?) in
            if !state.hasAlarm, state.due.map({ $0 <= now }) ?? true {
                state.due = next
                return (.send, nil)
            }
            var replaced: Value?
            if latest || state.waiting == nil {
                replaced = state.waiting
                state.waiting = .some(input)
            }
            if state.hasAlarm { return (.wait, replaced) }
            state.hasAlarm = true
            return (.waitUntil(state.due ?? now), replaced)
        }
        withExtendedLifetime(replaced) {}
        switch arrival {
        case .send: offer(input)
        case .waitUntil(let due):
            scheduler.schedule(after: due, tolerance: scheduler.minimumTolerance) { [weak self] in self?.ring() }
        case .wait: break
        }
        return .none
    }

    private func ring() {
        let next = scheduler.now.advanced(by: interval)
        let value = state.withLock { state in
            state.hasAlarm = false
            if state.waiting != nil { state.due = next }
            return state.waiting.take()
        }
        // Already on the scheduler.
        if let value, enqueue(value) { deliverNow() }
    }

    override func receive(completion: Subscribers.Completion<Fault>) {
        let waiting = state.withLock { $0.waiting.take() }
        if let waiting { offer(waiting) }
        super.receive(completion: completion)
    }

    override func demandGrew(by demand: Subscribers.Demand) {}

    override func ended() {
        let waiting = state.withLock { $0.waiting.take() }
        withExtendedLifetime(waiting) {}
        super.ended()
    }
}
