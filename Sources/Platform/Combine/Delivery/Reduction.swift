/// The subscriber of an operator that takes everything in and sends at most one value, at the end or when it is sure.
///
/// The result waits for demand. The closures run on whichever thread the upstream uses, one call at a time.
final class Reduction<Input, Failure: Error, Value, Fault: Error>: Outlet<Value, Fault>, Subscriber {
    /// What is known after a value, or at the end.
    enum Progress {
        case goOn
        case result(Value)
        case nothing
        case failure(Fault)

        static func trying(_ body: () throws -> Progress) -> Progress where Fault == any Error {
            do { return try body() } catch { return .failure(error) }
        }
    }

    private let link = Link()
    private let step: (Input) -> Progress
    private let end: () -> Progress
    private let fail: (Failure) -> Fault

    init(
        to downstream: some Subscriber<Value, Fault>,
        value step: @escaping (Input) -> Progress,
        end: @escaping () -> Progress,
        failure fail: @escaping (Failure) -> Fault
    ) {
        self.step = step
        self.end = end
        self.fail = fail
        super.init(downstream, surplus: .keep)
    }

    func receive(subscription: any Subscription) {
        start()
        link.request(.unlimited)
        link.connect(subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        guard link.isOpen else { return .none }
        settle(step(input))
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        guard link.close() else { return }
        switch completion {
        case .finished: settle(end())
        case .failure(let error): finish(.failure(fail(error)))
        }
    }

    private func settle(_ progress: Progress) {
        switch progress {
        case .goOn: return
        case .result(let value):
            link.cancel()
            enqueue(value)
            finish(.finished)
        case .nothing:
            link.cancel()
            finish(.finished)
        case .failure(let error):
            link.cancel()
            finish(.failure(error))
        }
    }

    override func ended() { link.cancel() }
}

extension Reduction where Failure == Fault {
    convenience init(
        to downstream: some Subscriber<Value, Fault>,
        value step: @escaping (Input) -> Progress,
        end: @escaping () -> Progress
    ) {
        self.init(to: downstream, value: step, end: end, failure: { $0 })
    }
}
