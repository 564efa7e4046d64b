extension Publishers {
    /// Sends the values at the positions of a range and finishes.
    public struct Output<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// The positions, counted from 0.
        public let range: CountableRange<Int>

        /// Takes the values of `upstream` at `range`.
        public init(upstream: Upstream, range: CountableRange<Int>) {
            self.upstream = upstream
            self.range = range
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Upstream.Output, S.Failure == Failure {
            guard !range.isEmpty else {
                return Empty(outputType: Upstream.Output.self, failureType: Failure.self).subscribe(subscriber)
            }
            var position = 0
            let relay = Relay<Upstream.Output, Failure, S>(to: subscriber) { input in
                defer { position += 1 }
                if position < range.lowerBound { return .skip }
                return position + 1 == range.upperBound ? .sendLast(input) : .send(input)
            }
            upstream.subscribe(relay)
        }
    }

    /// Sends values as long as they satisfy a condition, then finishes.
    public struct PrefixWhile<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// The upstream's error.
        public typealias Failure = Upstream.Failure
        /// Where the values come from.
        public let upstream: Upstream
        /// The condition.
        public let predicate: (Output) -> Bool

        /// Takes the values of `upstream` up to the first that does not satisfy `predicate`.
        public init(upstream: Upstream, predicate: @escaping (Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                Relay<Output, Failure, S>(to: subscriber) { predicate($0) ? .send($0) : .end(.finished) })
        }
    }

    /// Sends values as long as they satisfy a condition, then finishes; a thrown error ends the sequence.
    public struct TryPrefixWhile<Upstream: Publisher>: Publisher {
        /// The upstream's values.
        public typealias Output = Upstream.Output
        /// Any error: the upstream's or a thrown one.
        public typealias Failure = any Error
        /// Where the values come from.
        public let upstream: Upstream
        /// The condition.
        public let predicate: (Output) throws -> Bool

        /// Takes the values of `upstream` up to the first that does not satisfy `predicate`.
        public init(upstream: Upstream, predicate: @escaping (Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            let relay = Relay<Output, Upstream.Failure, S>(
                to: subscriber,
                value: { input in
                    do {
                        return try predicate(input) ? .send(input) : .end(.finished)
                    } catch {
                        return .end(.failure(error))
                    }
                }, completion: \.erased)
            upstream.subscribe(relay)
        }
    }
}

extension Publisher {
    /// Sends the values at the positions of `range` and finishes. Positions count from 0.
    public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
        let range = range.relative(to: 0..<Int.max)
        precondition(range.lowerBound >= 0, "positions count from 0")
        return Publishers.Output(upstream: self, range: range)
    }

    /// Sends the value at `index`, counted from 0, and finishes.
    public func output(at index: Int) -> Publishers.Output<Self> { output(in: index...index) }

    /// Sends the first `maxLength` values and finishes.
    /// - Precondition: `maxLength` is not negative.
    public func prefix(_ maxLength: Int) -> Publishers.Output<Self> { output(in: ..<maxLength) }

    /// Sends values as long as they satisfy `predicate`, then finishes.
    public func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
        Publishers.PrefixWhile(upstream: self, predicate: predicate)
    }

    /// Sends values as long as they satisfy `predicate`, then finishes; an error that it throws ends the sequence.
    public func tryPrefix(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryPrefixWhile<Self> {
        Publishers.TryPrefixWhile(upstream: self, predicate: predicate)
    }
}
