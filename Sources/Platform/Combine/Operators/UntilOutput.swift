extension Publishers {
    /// Sends values until another publisher sends one, then finishes.
    public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// Whose first value is the end.
        public let other: Other

        /// Sends the values of `upstream` until `other` sends.
        public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outlet = SignalledOutlet<Output, Failure, Other>(subscriber, role: .ends)
            outlet.listen(to: other)
            upstream.subscribe(outlet)
        }
    }

    /// Leaves out values until another publisher sends one.
    public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
    where Upstream.Failure == Other.Failure {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// Whose first value is the beginning.
        public let other: Other

        /// Sends the values of `upstream` from when `other` sends.
        public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outlet = SignalledOutlet<Output, Failure, Other>(subscriber, role: .begins) { $0 }
            outlet.listen(to: other)
            upstream.subscribe(outlet)
        }
    }
}

extension Publisher {
    /// Sends values until `publisher` sends one, then finishes.
    public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
        Publishers.PrefixUntilOutput(upstream: self, other: publisher)
    }

    /// Leaves out values until `publisher` sends one. Finishes when that finishes without one.
    public func drop<P: Publisher>(
        untilOutputFrom publisher: P
    ) -> Publishers.DropUntilOutput<Self, P> where P.Failure == Failure {
        Publishers.DropUntilOutput(upstream: self, other: publisher)
    }
}

private final class SignalledOutlet<Input, Failure: Error, Signal: Publisher>: Outlet<Input, Failure>, Subscriber {
    enum Role { case begins, ends }

    private let link = Link()
    private let role: Role
    private let signalFailure: ((Signal.Failure) -> Failure)?
    private let isOpen: Guarded<Bool>
    private let signal = Guarded<Branch<Signal.Output, Signal.Failure>?>(nil)

    init(
        _ downstream: some Subscriber<Input, Failure>, role: Role,
        signalFailure: ((Signal.Failure) -> Failure)? = nil
    ) {
        self.role = role
        self.signalFailure = signalFailure
        isOpen = Guarded(role == .ends)
        super.init(downstream, surplus: .keep)
    }

    func listen(to publisher: Signal) {
        let branch = Branch<Signal.Output, Signal.Failure>(
            value: { _ in
                self.signalled()
                return .none
            }, completion: { self.signalEnded($0) })
        signal.withLock { $0 = branch }
        branch.request(.max(1))
        publisher.subscribe(branch)
    }

    private func signalled() {
        signal.take()?.cancel()
        switch role {
        case .begins: isOpen.withLock { $0 = true }
        case .ends:
            link.cancel()
            finish(.finished)
        }
    }

    private func signalEnded(_ completion: Subscribers.Completion<Signal.Failure>) {
        guard signal.take() != nil, role == .begins else { return }
        link.cancel()
        switch completion {
        case .finished: finish(.finished)
        case .failure(let error): finish(signalFailure.map { .failure($0(error)) } ?? .finished)
        }
    }

    func receive(subscription: any Subscription) {
        start()
        link.connect(subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        guard isOpen.withLock({ $0 }) else { return .max(1) }
        offer(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        link.close()
        finish(completion)
    }

    override func demandGrew(by demand: Subscribers.Demand) { link.request(demand) }

    override func ended() {
        link.cancel()
        signal.take()?.cancel()
    }
}
