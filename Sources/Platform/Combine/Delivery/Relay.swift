/// What an operator does with one value.
enum Step<Output, Failure: Error> {
    case send(Output)
    case skip
    case sendLast(Output)
    case end(Subscribers.Completion<Failure>)

    /// The step of a throwing operator: a thrown error ends the sequence.
    static func trying(_ body: () throws -> Output?) -> Step where Failure == any Error {
        do {
            guard let output = try body() else { return .skip }
            return .send(output)
        } catch {
            return .end(.failure(error))
        }
    }
}

/// The subscriber of an operator that treats one value at a time and may end the sequence before its upstream does.
///
/// Demand passes through. After the end, or a cancellation, nothing reaches the downstream, whatever the upstream does.
/// The closure runs on whichever thread the upstream uses, one call at a time.
final class Relay<Input, Failure: Error, Downstream: Subscriber>: Subscriber, Subscription {
    private let downstream: Guarded<Downstream?>
    private let link = Link()
    private let step: (Input) -> Step<Downstream.Input, Downstream.Failure>
    private let end: (Subscribers.Completion<Failure>) -> Subscribers.Completion<Downstream.Failure>

    init(
        to downstream: Downstream,
        value step: @escaping (Input) -> Step<Downstream.Input, Downstream.Failure>,
        completion end: @escaping (Subscribers.Completion<Failure>) -> Subscribers.Completion<Downstream.Failure>
    ) {
        self.downstream = Guarded(downstream)
        self.step = step
        self.end = end
    }

    func receive(subscription: any Subscription) {
        guard let downstream = downstream.withLock({ $0 }) else { return subscription.cancel() }
        downstream.receive(subscription: self)
        link.connect(subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        guard link.isOpen else { return .none }
        switch step(input) {
        case .send(let output):
            return downstream.withLock { $0 }?.receive(output) ?? .none
        case .skip:
            return .max(1)
        case .sendLast(let output):
            guard link.cancelIfOpen() else { return .none }
            _ = downstream.withLock { $0 }?.receive(output)
            downstream.take()?.receive(completion: .finished)
            return .none
        case .end(let completion):
            link.cancel()
            downstream.take()?.receive(completion: completion)
            return .none
        }
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        guard link.close() else { return }
        downstream.take()?.receive(completion: end(completion))
    }

    func request(_ demand: Subscribers.Demand) { link.request(demand) }

    func cancel() {
        let downstream = downstream.take()
        link.cancel()
        withExtendedLifetime(downstream) {}
    }
}

extension Relay where Failure == Downstream.Failure {
    convenience init(
        to downstream: Downstream, value step: @escaping (Input) -> Step<Downstream.Input, Downstream.Failure>
    ) {
        self.init(to: downstream, value: step, completion: { $0 })
    }
}
