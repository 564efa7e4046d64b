/// An outlet between one upstream and a subscriber that is called on a scheduler, one event a scheduled action.
///
/// Demand and cancellation go to the upstream on the caller's thread.
class ScheduledOutlet<Value, Fault: Error>: Outlet<Value, Fault>, Subscriber {
    let link = Link()
    private let schedule: (@escaping () -> Void) -> Void

    /// - Parameter schedule: Runs its argument on the scheduler, now or later.
    init(
        _ downstream: any Subscriber<Value, Fault>, surplus: Surplus = .keep,
        schedule: @escaping (@escaping () -> Void) -> Void
    ) {
        self.schedule = schedule
        super.init(downstream, surplus: surplus, paced: true)
    }

    func receive(subscription: any Subscription) {
        start()
        link.connect(subscription)
    }

    func receive(_ input: Value) -> Subscribers.Demand {
        offer(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Fault>) {
        link.close()
        finish(completion)
    }

    /// Schedules one event.
    override func deliver() {
        schedule { self.deliverNow() }
    }

    /// Delivers one event, for callers that are on the scheduler.
    func deliverNow() {
        grantTurn()
        super.deliver()
    }

    override func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        grow(by: demand)
        demandGrew(by: demand)
        // Events whose turn came before anybody had asked for them.
        if queuedCount > 0 { schedule { super.deliver() } }
    }

    override func demandGrew(by demand: Subscribers.Demand) { link.request(demand) }
    override func ended() { link.cancel() }
}
