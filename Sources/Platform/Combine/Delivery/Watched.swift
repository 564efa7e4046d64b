/// Passes everything on unchanged and calls a closure once, when the subscription is over.
///
/// The closure, and whatever it holds, lives exactly as long as the subscription.
final class Watched<Downstream: Subscriber>: Subscriber, Subscription {
    private struct State {
        var downstream: Downstream
        var onEnd: () -> Void
    }

    private let state: Guarded<State?>
    private let link = Link()

    init(_ downstream: Downstream, onEnd: @escaping () -> Void) {
        state = Guarded(State(downstream: downstream, onEnd: onEnd))
    }

    func receive(subscription: any Subscription) {
        guard let downstream = state.withLock({ $0?.downstream }) else { return subscription.cancel() }
        downstream.receive(subscription: self)
        link.connect(subscription)
    }

    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        state.withLock { $0?.downstream }?.receive(input) ?? .none
    }

    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        guard let state = state.take() else { return }
        link.close()
        state.onEnd()
        state.downstream.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) { link.request(demand) }

    func cancel() {
        let state = state.take()
        link.cancel()
        state?.onEnd()
    }
}
