/// The subscriber of an operator that changes or skips single values and keeps nothing: the upstream's subscription goes
/// to the downstream as it is. A skipped value is made good by asking for another.
///
/// The closures run on whichever thread the upstream uses, one call at a time.
final class Passage<Input, Failure: Error, Downstream: Subscriber>: Subscriber {
    private let downstream: Downstream
    private let change: (Input) -> Downstream.Input?
    private let end: (Subscribers.Completion<Failure>) -> Subscribers.Completion<Downstream.Failure>

    init(
        to downstream: Downstream,
        value change: @escaping (Input) -> Downstream.Input?,
        completion end: @escaping (Subscribers.Completion<Failure>) -> Subscribers.Completion<Downstream.Failure>
    ) {
        self.downstream = downstream
        self.change = change
        self.end = end
    }

    func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

    func receive(_ input: Input) -> Subscribers.Demand {
        guard let output = change(input) else { return .max(1) }
        return downstream.receive(output)
    }

    func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: end(completion)) }
}

extension Passage where Failure == Downstream.Failure {
    convenience init(to downstream: Downstream, value change: @escaping (Input) -> Downstream.Input?) {
        self.init(to: downstream, value: change, completion: { $0 })
    }
}
