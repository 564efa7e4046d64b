extension Publishers {
    /// When a buffer asks its upstream for values.
    public enum PrefetchStrategy: Sendable {
        /// As many as fit, and one more for each that is sent on.
        case keepFull
        /// Everything at once.
        case byRequest
    }

    /// What a full buffer does with a value.
    public enum BufferingStrategy<Failure: Error> {
        /// Drops the value that comes.
        case dropNewest
        /// Drops the value that has waited longest.
        case dropOldest
        /// Fails with an error.
        case customError(() -> Failure)
    }

    /// Keeps values that the subscriber has not asked for yet.
    public struct Buffer<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// How many values may wait.
        public let size: Int
        /// When the upstream is asked.
        public let prefetch: Publishers.PrefetchStrategy
        /// What happens when `size` values wait.
        public let whenFull: Publishers.BufferingStrategy<Failure>

        /// Keeps values of `upstream`.
        public init(
            upstream: Upstream, size: Int, prefetch: Publishers.PrefetchStrategy,
            whenFull: Publishers.BufferingStrategy<Failure>
        ) {
            self.upstream = upstream
            self.size = size
            self.prefetch = prefetch
            self.whenFull = whenFull
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(BufferOutlet(subscriber, size: size, prefetch: prefetch, whenFull: whenFull))
        }
    }
}

extension Publisher {
    /// Keeps up to `size` values that the subscriber has not asked for yet.
    public func buffer(
        size: Int, prefetch: Publishers.PrefetchStrategy, whenFull: Publishers.BufferingStrategy<Failure>
    ) -> Publishers.Buffer<Self> {
        Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
    }
}

private final class BufferOutlet<Input, Failure: Error>: Outlet<Input, Failure>, Subscriber {
    private let link = Link()
    private let size: Int
    private let prefetch: Publishers.PrefetchStrategy
    private let whenFull: Publishers.BufferingStrategy<Failure>

    init(
        _ downstream: some Subscriber<Input, Failure>, size: Int, prefetch: Publishers.PrefetchStrategy,
        whenFull: Publishers.BufferingStrategy<Failure>
    ) {
        self.size = size
        self.prefetch = prefetch
        self.whenFull = whenFull
        super.init(downstream, surplus: .keepAll)
    }

    func receive(subscription: any Subscription) {
        start()
        switch prefetch {
        case .keepFull: link.request(.max(size))
        case .byRequest: link.request(.unlimited)
        }
        link.connect(subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        // A value that somebody waits for passes even a buffer of size 0.
        if queuedCount >= size, outstanding == .none {
            switch whenFull {
            case .dropNewest: return prefetch == .keepFull ? .max(1) : .none
            case .dropOldest:
                guard discardOldest() != nil else { return .none }
                offer(input, from: prefetch == .keepFull ? link : nil)
                return prefetch == .keepFull ? .max(1) : .none
            case .customError(let error):
                link.cancel()
                finish(.failure(error()))
                return .none
            }
        }
        offer(input, from: prefetch == .keepFull ? link : nil)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        link.close()
        finish(completion)
    }

    override func ended() { link.cancel() }
}
