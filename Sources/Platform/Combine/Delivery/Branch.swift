/// An operator's subscriber to one of several upstreams.
///
/// It forgets its closures, which usually hold the operator, when its upstream ends or it is cancelled.
final class Branch<Input, Failure: Error>: Subscriber, Subscription {
    private struct Handlers {
        var value: (Input) -> Subscribers.Demand
        var completion: (Subscribers.Completion<Failure>) -> Void
    }

    private let handlers: Guarded<Handlers?>
    private let link = Link()

    init(
        value: @escaping (Input) -> Subscribers.Demand,
        completion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) {
        handlers = Guarded(Handlers(value: value, completion: completion))
    }

    func receive(subscription: any Subscription) { link.connect(subscription) }

    func receive(_ input: Input) -> Subscribers.Demand { handlers.withLock { $0 }?.value(input) ?? .none }

    func receive(completion: Subscribers.Completion<Failure>) {
        link.close()
        handlers.take()?.completion(completion)
    }

    func request(_ demand: Subscribers.Demand) { link.request(demand) }

    func cancel() {
        let handlers = handlers.take()
        link.cancel()
        withExtendedLifetime(handlers) {}
    }
}
