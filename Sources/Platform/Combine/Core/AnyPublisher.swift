/// A publisher whose own type is hidden.
///
/// Not Sendable, because what is inside may hold closures that are not; a publisher that is to be held by a Sendable
/// type is best kept as the subject behind it.
public struct AnyPublisher<Output, Failure: Error>: Publisher, CustomStringConvertible {
    private let inner: any Publisher<Output, Failure>

    /// Hides the type of `publisher`.
    public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
        if let erased = publisher as? AnyPublisher { self = erased } else { inner = publisher }
    }

    /// Attaches `subscriber` to what is inside.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        inner.receive(subscriber: subscriber)
    }

    /// `AnyPublisher`, for logs.
    public var description: String { "AnyPublisher" }
}

extension Publisher {
    /// This publisher with its type hidden.
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}
