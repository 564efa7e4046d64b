extension Publishers {
    /// Sends the values of the newest of the publishers that come from the upstream.
    public struct SwitchToLatest<P: Publisher, Upstream: Publisher>: Publisher
    where Upstream.Output == P, Upstream.Failure == P.Failure {
        /// The newest publisher's values.
        public typealias Output = P.Output
        /// The error of all.
        public typealias Failure = P.Failure
        /// Where the publishers come from.
        public let upstream: Upstream

        /// Listens to the newest publisher from `upstream`.
        public init(upstream: Upstream) { self.upstream = upstream }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(SwitchOutlet<P>(subscriber))
        }
    }
}

extension Publisher where Output: Publisher, Output.Failure == Failure {
    /// Sends the values of the newest publisher and drops the one before it.
    ///
    /// It finishes when this publisher and the newest have finished.
    public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
        Publishers.SwitchToLatest(upstream: self)
    }
}

extension Publisher where Failure == Never, Output: Publisher {
    /// Sends the values of the newest publisher and drops the one before it.
    public func switchToLatest()
        -> Publishers.SwitchToLatest<
            Output, Publishers.SetFailureType<Self, Output.Failure>
        >
    {
        Publishers.SwitchToLatest(upstream: setFailureType(to: Output.Failure.self))
    }
}

extension Publisher where Failure == Never, Output: Publisher, Output.Failure == Never {
    /// Sends the values of the newest publisher and drops the one before it.
    public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
        Publishers.SwitchToLatest(upstream: self)
    }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
    /// Sends the values of the newest publisher and drops the one before it.
    public func switchToLatest()
        -> Publishers.SwitchToLatest<
            Publishers.SetFailureType<Output, Failure>, Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
        >
    {
        Publishers.SwitchToLatest(upstream: map { $0.setFailureType(to: Failure.self) })
    }
}

private final class SwitchOutlet<P: Publisher>: Succession<P.Output, P.Failure>, Subscriber {
    typealias Input = P
    typealias Failure = P.Failure

    private struct Progress {
        var upstreamIsOver = false
        /// Publishers that came and have neither ended nor been left.
        var newest: Int?
        var count = 0
    }

    private let link = Link()
    private let progress = Guarded(Progress())

    func receive(subscription: any Subscription) {
        start()
        link.request(.unlimited)
        link.connect(subscription)
    }

    func receive(_ publisher: P) -> Subscribers.Demand {
        guard link.isOpen else { return .none }
        let number = progress.withLock { progress in
            progress.count += 1
            progress.newest = progress.count
            return progress.count
        }
        follow(publisher) { completion in
            if completion.isFailure { return self.finish(completion) }
            let isDone = self.progress.withLock { progress in
                if progress.newest == number { progress.newest = nil }
                return progress.upstreamIsOver && progress.newest == nil
            }
            if isDone { self.finish(.finished) }
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        link.close()
        if completion.isFailure { return finish(completion) }
        let isDone = progress.withLock { progress in
            progress.upstreamIsOver = true
            return progress.newest == nil
        }
        if isDone { finish(.finished) }
    }

    override func ended() {
        link.cancel()
        super.ended()
    }
}
