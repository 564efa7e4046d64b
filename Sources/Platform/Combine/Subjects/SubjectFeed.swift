/// The subscriber that sends what it receives into a subject, until it is cancelled.
final class SubjectFeed<Output, Failure: Error>: Subscriber, Subscription {
    private let subject: Guarded<(any Subject<Output, Failure>)?>
    private let link = Link()

    init(_ subject: any Subject<Output, Failure>) { self.subject = Guarded(subject) }

    func receive(subscription: any Subscription) {
        guard let subject = subject.withLock({ $0 }) else { return subscription.cancel() }
        link.connect(subscription)
        subject.send(subscription: self)
    }

    func receive(_ input: Output) -> Subscribers.Demand {
        subject.withLock { $0 }?.send(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        link.close()
        subject.take()?.send(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) { link.request(demand) }

    func cancel() {
        let subject = subject.take()
        link.cancel()
        withExtendedLifetime(subject) {}
    }
}
