extension Publishers {
    /// Goes on with another publisher when the upstream fails.
    public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The other publisher's error.
        public typealias Failure = NewPublisher.Failure
        /// Where the values come from at first.
        public let upstream: Upstream
        /// Makes the other publisher.
        public let handler: (Upstream.Failure) -> NewPublisher

        /// Goes on with what `handler` makes when `upstream` fails.
        public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
            self.upstream = upstream
            self.handler = handler
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outlet = Succession(subscriber)
            outlet.start()
            outlet.follow(upstream) { completion in
                switch completion {
                case .finished: outlet.finish(.finished)
                case .failure(let error): outlet.follow(handler(error)) { outlet.finish($0) }
                }
            }
        }
    }

    /// Goes on with another publisher when the upstream fails; a thrown error ends the sequence.
    public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// Any error: the other publisher's or a thrown one.
        public typealias Failure = any Error
        /// Where the values come from at first.
        public let upstream: Upstream
        /// Makes the other publisher.
        public let handler: (Upstream.Failure) throws -> NewPublisher

        /// Goes on with what `handler` makes when `upstream` fails.
        public init(upstream: Upstream, handler: @escaping (Upstream.Failure) throws -> NewPublisher) {
            self.upstream = upstream
            self.handler = handler
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            let outlet = Succession(subscriber)
            outlet.start()
            outlet.follow(upstream) { completion in
                guard case .failure(let error) = completion else { return outlet.finish(.finished) }
                do {
                    outlet.follow(try handler(error)) { outlet.finish($0.erased) }
                } catch {
                    outlet.finish(.failure(error))
                }
            }
        }
    }

    /// Subscribes again when the upstream fails, a limited number of times.
    public struct Retry<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// How often it subscribes again; nil for as often as it takes.
        public let retries: Int?

        /// Subscribes to `upstream` again when it fails, up to `retries` times.
        public init(upstream: Upstream, retries: Int?) {
            self.upstream = upstream
            self.retries = retries
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outlet = Succession(subscriber)
            outlet.start()
            attempt(outlet, left: retries)
        }

        private func attempt(_ outlet: Succession<Output, Failure>, left: Int?) {
            outlet.follow(upstream) { completion in
                if completion.isFailure, left != 0 {
                    attempt(outlet, left: left.map { $0 - 1 })
                } else {
                    outlet.finish(completion)
                }
            }
        }
    }
}

extension Publisher {
    /// Goes on with the publisher that `handler` makes when this one fails.
    public func `catch`<P: Publisher>(
        _ handler: @escaping (Failure) -> P
    ) -> Publishers.Catch<Self, P> where P.Output == Output {
        Publishers.Catch(upstream: self, handler: handler)
    }

    /// Goes on with the publisher that `handler` makes when this one fails; an error that it throws ends the sequence.
    public func tryCatch<P: Publisher>(
        _ handler: @escaping (Failure) throws -> P
    ) -> Publishers.TryCatch<Self, P> where P.Output == Output {
        Publishers.TryCatch(upstream: self, handler: handler)
    }

    /// Subscribes again when this publisher fails, up to `retries` times.
    public func retry(_ retries: Int) -> Publishers.Retry<Self> {
        Publishers.Retry(upstream: self, retries: retries)
    }
}
