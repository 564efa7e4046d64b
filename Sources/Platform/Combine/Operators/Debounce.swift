extension Publishers {
    /// Sends a value when no other has come for a time.
    public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// How long it must be quiet.
        public let dueTime: Context.SchedulerTimeType.Stride
        /// Where the values are delivered.
        public let scheduler: Context
        /// How they are scheduled.
        public let options: Context.SchedulerOptions?

        /// Sends a value of `upstream` when it has been quiet for `dueTime`.
        public init(
            upstream: Upstream, dueTime: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?
        ) {
            self.upstream = upstream
            self.dueTime = dueTime
            self.scheduler = scheduler
            self.options = options
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outlet = DebounceOutlet(subscriber, dueTime: dueTime, scheduler: scheduler, options: options)
            upstream.subscribe(outlet)
        }
    }
}

extension Publisher {
    /// Sends a value, on `scheduler`, when no other has come for `dueTime`. A value that waits when the sequence ends is
    /// dropped.
    public func debounce<S: Scheduler>(
        for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.Debounce<Self, S> {
        Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
    }
}

/// Keeps the newest value and one alarm, which is set again when it rings and the time is not yet up.
private final class DebounceOutlet<Value, Fault: Error, Context: Scheduler>: ScheduledOutlet<Value, Fault> {
    private struct State {
        var waiting: Value?
        var due: Context.SchedulerTimeType
        var hasAlarm = false
    }

    private enum Ring {
        case send(Value)
        case setAgain(Context.SchedulerTimeType)
        case stop
    }

    private let dueTime: Context.SchedulerTimeType.Stride
    private let scheduler: Context
    private let options: Context.SchedulerOptions?
    private let state: Guarded<State>

    init(
        _ downstream: some Subscriber<Value, Fault>, dueTime: Context.SchedulerTimeType.Stride, scheduler: Context,
        options: Context.SchedulerOptions?
    ) {
        self.dueTime = dueTime
        self.scheduler = scheduler
        self.options = options
        state = Guarded(State(due: scheduler.now))
        super.init(downstream, surplus: .keepLatest) { scheduler.schedule(options: options, $0) }
    }

    override func receive(subscription: any Subscription) {
        start()
        link.request(.unlimited)
        link.connect(subscription)
    }

    override func receive(_ input: Value) -> Subscribers.Demand {
        let due = scheduler.now.advanced(by: dueTime)
        let (needsAlarm, replaced) = state.withLock { state in
            let replaced = state.waiting
            state.waiting = .some(input)
            state.due = due
            defer { state.hasAlarm = true }
            return (!state.hasAlarm, replaced)
        }
        withExtendedLifetime(replaced) {}
        if needsAlarm { setAlarm(for: due) }
        return .none
    }

    private func setAlarm(for due: Context.SchedulerTimeType) {
        scheduler.schedule(after: due, tolerance: scheduler.minimumTolerance, options: options) {
            [weak self] in self?.ring()
        }
    }

    private func ring() {
        let now = scheduler.now
        let ring = state.withLock { state -> Ring in
            guard state.waiting != nil else {
                state.hasAlarm = false
                return .stop
            }
            if now < state.due { return .setAgain(state.due) }
            state.hasAlarm = false
            guard let value = state.waiting.take() else { return .stop }
            return .send(value)
        }
        switch ring {
        case .send(let value):
            // Already on the scheduler.
            if enqueue(value) { deliverNow() }
        case .setAgain(let due): setAlarm(for: due)
        case .stop: break
        }
    }

    override func receive(completion: Subscribers.Completion<Fault>) {
        dropWaiting()
        super.receive(completion: completion)
    }

    override func demandGrew(by demand: Subscribers.Demand) {}

    override func ended() {
        dropWaiting()
        super.ended()
    }

    private func dropWaiting() {
        let waiting = state.withLock { $0.waiting.take() }
        withExtendedLifetime(waiting) {}
    }
}
