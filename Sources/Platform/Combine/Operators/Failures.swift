extension Publishers {
    /// Declares an error that never comes, to match another publisher.
    public struct SetFailureType<Upstream: Publisher, Failure: Error>: Publisher where Upstream.Failure == Never {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// Where the values come from.
        public let upstream: Upstream

        /// Declares `Failure` for `upstream`.
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                Passage<Output, Never, S>(to: subscriber, value: { $0 }, completion: { $0.mapError { $0 } }))
        }
    }

    /// Changes the error.
    public struct MapError<Upstream: Publisher, Failure: Error>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// Where the values come from.
        public let upstream: Upstream
        /// Makes the new error.
        public let transform: (Upstream.Failure) -> Failure

        /// Changes the error of `upstream`.
        public init(upstream: Upstream, transform: @escaping (Upstream.Failure) -> Failure) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let passage = Passage<Output, Upstream.Failure, S>(
                to: subscriber, value: { $0 }, completion: { $0.mapError(transform) })
            upstream.subscribe(passage)
        }
    }

    /// Stops the program when the upstream fails.
    public struct AssertNoFailure<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// Nothing can fail any more.
        public typealias Failure = Never
        /// Where the values come from.
        public let upstream: Upstream
        /// Written before the error.
        public let prefix: String
        /// Where the assertion was made.
        public let file: StaticString
        /// Where the assertion was made.
        public let line: UInt

        /// Stops the program when `upstream` fails.
        public init(upstream: Upstream, prefix: String, file: StaticString, line: UInt) {
            self.upstream = upstream
            self.prefix = prefix
            self.file = file
            self.line = line
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            let passage = Passage<Output, Upstream.Failure, S>(
                to: subscriber, value: { $0 },
                completion: { completion in
                    if case .failure(let error) = completion {
                        fatalError("\(prefix)\(prefix.isEmpty ? "" : ": ")\(error)", file: file, line: line)
                    }
                    return .finished
                })
            upstream.subscribe(passage)
        }
    }
}

extension Publisher {
    /// Changes the error by `transform`.
    public func mapError<E: Error>(_ transform: @escaping (Failure) -> E) -> Publishers.MapError<Self, E> {
        Publishers.MapError(upstream: self, transform: transform)
    }

    /// Stops the program when this publisher fails. For errors that only a mistake in the program can cause.
    public func assertNoFailure(
        _ prefix: String = "", file: StaticString = #file, line: UInt = #line
    ) -> Publishers.AssertNoFailure<Self> {
        Publishers.AssertNoFailure(upstream: self, prefix: prefix, file: file, line: line)
    }
}

extension Publisher where Failure == Never {
    /// Declares an error that never comes, to match another publisher.
    public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
        Publishers.SetFailureType(upstream: self)
    }
}
