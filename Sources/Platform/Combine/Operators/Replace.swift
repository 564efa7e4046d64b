extension Publishers {
    /// Sends a value in place of the error, and finishes.
    public struct ReplaceError<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// Nothing can fail any more.
        public typealias Failure = Never
        /// Where the values come from.
        public let upstream: Upstream
        /// What is sent in place of the error.
        public let output: Output

        /// Sends `output` in place of the error of `upstream`.
        public init(upstream: Upstream, output: Output) {
            self.upstream = upstream
            self.output = output
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            Publishers.Catch(upstream: upstream) { _ in Just(output) }.subscribe(subscriber)
        }
    }

    /// Sends a value when the upstream finishes without one.
    public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// What is sent when there was nothing else.
        public let output: Output

        /// Sends `output` when `upstream` is empty.
        public init(upstream: Upstream, output: Output) {
            self.upstream = upstream
            self.output = output
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outlet = Succession(subscriber)
            var isEmpty = true
            outlet.start()
            let noted = upstream.map { (value: Output) -> Output in
                isEmpty = false
                return value
            }
            outlet.follow(noted) { completion in
                if case .finished = completion, isEmpty { outlet.enqueue(output) }
                outlet.finish(completion)
            }
        }
    }
}

extension Publisher {
    /// Sends `output` in place of an error, and finishes.
    public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
        Publishers.ReplaceError(upstream: self, output: output)
    }

    /// Sends `output` when the sequence finishes without a value.
    public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
        Publishers.ReplaceEmpty(upstream: self, output: output)
    }

    /// Puts `output` in place of nil.
    public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
        map { $0 ?? output }
    }
}
