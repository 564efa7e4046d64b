extension Publishers {
    /// Connects an upstream when the first subscriber comes, and disconnects it when the last has gone.
    public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure

        private struct State {
            var subscribers = 0
            /// Counts connections, so that one that is late does not take another's place.
            var number = 0
            var connection: (any Cancellable)?
        }

        /// What is connected.
        public let upstream: Upstream

        private let state = Guarded(State())

        /// Connects `upstream` as long as there are subscribers.
        public init(upstream: Upstream) { self.upstream = upstream }

        /// Attaches `subscriber`, and connects if it is the first.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let toConnect = state.withLock { state -> Int? in
                state.subscribers += 1
                guard state.subscribers == 1 else { return nil }
                state.number += 1
                return state.number
            }
            // The subscription keeps this object, and with it the connection.
            upstream.subscribe(Watched(subscriber) { self.subscriberLeft() })
            if let toConnect { connect(as: toConnect) }
        }

        private func connect(as number: Int) {
            // The subject may have been over already.
            guard state.withLock({ $0.number == number && $0.subscribers > 0 }) else { return }
            let connection = upstream.connect()
            let isWanted = state.withLock { state in
                guard state.number == number, state.subscribers > 0 else { return false }
                state.connection = connection
                return true
            }
            // Everybody left while it was being made, from inside the first values.
            if !isWanted { connection.cancel() }
        }

        private func subscriberLeft() {
            let connection = state.withLock { state -> (any Cancellable)? in
                state.subscribers -= 1
                guard state.subscribers == 0 else { return nil }
                defer { state.connection = nil }
                return state.connection
            }
            connection?.cancel()
        }
    }

    /// Shares one subscription to an upstream among many subscribers.
    public final class Share<Upstream: Publisher>: Publisher, Equatable {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure

        /// What is shared.
        public let upstream: Upstream

        private let shared: Autoconnect<Multicast<Upstream, PassthroughSubject<Output, Failure>>>

        /// Shares `upstream`.
        public init(upstream: Upstream) {
            self.upstream = upstream
            shared = upstream.multicast { PassthroughSubject() }.autoconnect()
        }

        /// Attaches `subscriber`; the first one starts the upstream.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            shared.subscribe(subscriber)
        }

        /// Whether both are the same object.
        public static func == (left: Share, right: Share) -> Bool { left === right }
    }
}

extension ConnectablePublisher {
    /// Connects when the first subscriber comes and disconnects when the last has gone.
    public func autoconnect() -> Publishers.Autoconnect<Self> { Publishers.Autoconnect(upstream: self) }
}

extension Publisher {
    /// Shares one subscription to this publisher among many subscribers; late ones miss what was sent before.
    public func share() -> Publishers.Share<Self> { Publishers.Share(upstream: self) }
}
