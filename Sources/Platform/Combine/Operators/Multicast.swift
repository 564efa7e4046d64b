extension Publishers {
    /// Sends one upstream's values to many subscribers, through a subject, once connected.
    public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
    where Upstream.Failure == SubjectType.Failure, Upstream.Output == SubjectType.Output {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// Makes the subject, once.
        public let createSubject: () -> SubjectType

        private let made = Guarded<SubjectType?>(nil)

        /// Sends the values of `upstream` through what `createSubject` makes.
        public init(upstream: Upstream, createSubject: @escaping () -> SubjectType) {
            self.upstream = upstream
            self.createSubject = createSubject
        }

        /// Attaches `subscriber` to the subject.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            subject.subscribe(subscriber)
        }

        /// Subscribes the subject to the upstream.
        /// - Returns: What detaches it.
        public func connect() -> any Cancellable { upstream.subscribe(subject) }

        private var subject: SubjectType {
            if let subject = made.withLock({ $0 }) { return subject }
            // Made without the lock, as it is the caller's code; of two made at a time the first one in counts.
            let candidate = createSubject()
            return made.withLock { made in
                let subject = made ?? candidate
                made = subject
                return subject
            }
        }
    }

    /// Makes a publisher wait for `connect()`.
    public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher where Upstream.Failure == Never {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// Nothing can fail here.
        public typealias Failure = Never

        private let inner: Multicast<Upstream, PassthroughSubject<Upstream.Output, Never>>

        /// Makes `upstream` wait.
        public init(upstream: Upstream) {
            inner = Multicast(upstream: upstream) { PassthroughSubject() }
        }

        /// Attaches `subscriber`, which waits too.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            inner.subscribe(subscriber)
        }

        /// Starts the upstream.
        /// - Returns: What stops it.
        public func connect() -> any Cancellable { inner.connect() }
    }
}

extension Publisher {
    /// Sends this publisher's values to many subscribers through a subject that `createSubject` makes, once connected.
    public func multicast<S: Subject>(
        _ createSubject: @escaping () -> S
    ) -> Publishers.Multicast<Self, S> where S.Output == Output, S.Failure == Failure {
        Publishers.Multicast(upstream: self, createSubject: createSubject)
    }

    /// Sends this publisher's values to many subscribers through `subject`, once connected.
    public func multicast<S: Subject>(
        subject: S
    ) -> Publishers.Multicast<Self, S> where S.Output == Output, S.Failure == Failure {
        multicast { subject }
    }
}

extension Publisher where Failure == Never {
    /// Makes this publisher wait for `connect()`, so that several subscribers can be attached first.
    public func makeConnectable() -> Publishers.MakeConnectable<Self> { Publishers.MakeConnectable(upstream: self) }
}
