extension Publishers {
    /// Ends the sequence when no value has come for a time.
    public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// How long to wait for a value.
        public let interval: Context.SchedulerTimeType.Stride
        /// Whose clock counts, and where the values are delivered.
        public let scheduler: Context
        /// How they are scheduled.
        public let options: Context.SchedulerOptions?
        /// Makes the error; without it the sequence finishes.
        public let customError: (() -> Failure)?

        /// Ends when no value of `upstream` has come for `interval`.
        public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?, customError: (() -> Failure)?
        ) {
            self.upstream = upstream
            self.interval = interval
            self.scheduler = scheduler
            self.options = options
            self.customError = customError
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outlet = TimeoutOutlet(
                subscriber, interval: interval, scheduler: scheduler, options: options, customError: customError)
            upstream.subscribe(outlet)
        }
    }
}

extension Publisher {
    /// Ends the sequence when no value has come for `interval`: with the error that `customError` makes, or finished.
    public func timeout<S: Scheduler>(
        _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
        customError: (() -> Failure)? = nil
    ) -> Publishers.Timeout<Self, S> {
        Publishers.Timeout(
            upstream: self, interval: interval, scheduler: scheduler, options: options, customError: customError)
    }
}

/// Keeps one alarm, which is set again when it rings and a value has come meanwhile.
private final class TimeoutOutlet<Value, Fault: Error, Context: Scheduler>: ScheduledOutlet<Value, Fault> {
    private let interval: Context.SchedulerTimeType.Stride
    private let scheduler: Context
    private let options: Context.SchedulerOptions?
    private let customError: (() -> Fault)?
    private let due: Guarded<Context.SchedulerTimeType>

    init(
        _ downstream: some Subscriber<Value, Fault>, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
        options: Context.SchedulerOptions?, customError: (() -> Fault)?
    ) {
        self.interval = interval
        self.scheduler = scheduler
        self.options = options
        self.customError = customError
        due = Guarded(scheduler.now.advanced(by: interval))
        super.init(downstream) { scheduler.schedule(options: options, $0) }
    }

    override func receive(subscription: any Subscription) {
        let due = postpone()
        start()
        link.connect(subscription)
        setAlarm(for: due)
    }

    override func receive(_ input: Value) -> Subscribers.Demand {
        guard link.isOpen else { return .none }
        postpone()
        return super.receive(input)
    }

    override func receive(completion: Subscribers.Completion<Fault>) {
        if link.close() { finish(completion) }
    }

    @discardableResult
    private func postpone() -> Context.SchedulerTimeType {
        let next = scheduler.now.advanced(by: interval)
        due.withLock { $0 = next }
        return next
    }

    private func setAlarm(for due: Context.SchedulerTimeType) {
        scheduler.schedule(after: due, tolerance: scheduler.minimumTolerance, options: options) {
            [weak self] in self?.ring()
        }
    }

    private func ring() {
        guard link.isOpen else { return }
        let due = due.withLock { $0 }
        if scheduler.now < due { return setAlarm(for: due) }
        guard link.cancelIfOpen() else { return }
        enqueue(completion: customError.map { .failure($0()) } ?? .finished)
        // Already on the scheduler.
        deliverNow()
    }
}
