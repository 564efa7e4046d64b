/// The values of a publisher that cannot fail, as an asynchronous sequence.
///
/// Each iterator subscribes when it is made and asks for one value at a time, when `next()` is called: what a publisher
/// such as ``PassthroughSubject`` sends between two calls is missed, unless there is a `buffer`.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
    /// The publisher's values.
    public typealias Element = P.Output
    /// Nothing can fail here.
    public typealias Failure = Never

    /// Waits for one value after another. The subscription ends with the iterator, or with its task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let intake: Intake<P.Output, Never>

        /// The next value; nil when the publisher has finished or the task is cancelled.
        public mutating func next() async -> P.Output? { await next(isolation: nil) }

        /// The next value; nil when the publisher has finished or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> P.Output? {
            switch await intake.next(isolation: actor) {
            case .value(let value): value.value
            case .finished, .cancelled: nil
            }
        }
    }

    private let publisher: P

    /// The values of `publisher`.
    public init(_ publisher: P) { self.publisher = publisher }

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator {
        let intake = Intake<P.Output, Never>()
        publisher.subscribe(intake.subscriber)
        return Iterator(intake: intake)
    }
}

/// The values of a publisher, as an asynchronous sequence that throws the publisher's error.
///
/// See ``AsyncPublisher`` for when values are asked for.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
    /// The publisher's values.
    public typealias Element = P.Output
    /// The publisher's error.
    public typealias Failure = any Error

    /// Waits for one value after another. The subscription ends with the iterator, or with its task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let intake: Intake<P.Output, P.Failure>

        /// The next value; nil when the publisher has finished or the task is cancelled. Throws the publisher's error.
        public mutating func next() async throws -> P.Output? { try await next(isolation: nil) }

        /// The next value; nil when the publisher has finished or the task is cancelled. Throws the publisher's error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> P.Output? {
            switch await intake.next(isolation: actor) {
            case .value(let value): return value.value
            case .finished(.failure(let error)): throw error
            case .finished(.finished), .cancelled: return nil
            }
        }
    }

    private let publisher: P

    /// The values of `publisher`.
    public init(_ publisher: P) { self.publisher = publisher }

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator {
        let intake = Intake<P.Output, P.Failure>()
        publisher.subscribe(intake.subscriber)
        return Iterator(intake: intake)
    }
}

extension Publisher where Failure == Never {
    /// The values, as an asynchronous sequence.
    public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

extension Publisher {
    /// The values, as an asynchronous sequence that throws this publisher's error.
    public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }
}
