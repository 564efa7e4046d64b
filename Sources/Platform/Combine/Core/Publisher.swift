/// A type that delivers a sequence of values over time, ending in at most one completion.
///
/// A publisher is a recipe: nothing happens until ``subscribe(_:)->()`` attaches a subscriber. The contract is
/// that of the Reactive Streams specification: first one ``Subscription``, then no more values than the subscriber has
/// asked for, then at most one completion; the three calls to one subscriber never overlap.
public protocol Publisher<Output, Failure> {
    /// The kind of value published.
    associatedtype Output
    /// The kind of error that can end the sequence; `Never` when none can.
    associatedtype Failure: Error

    /// Attaches `subscriber`. Implemented by publishers; callers use `subscribe(_:)`.
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
    /// Attaches `subscriber`, which is handed its ``Subscription`` first.
    public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        receive(subscriber: subscriber)
    }

    /// Sends everything of this publisher through `subject`, with unlimited demand.
    /// - Returns: A token; the subject is detached when it is cancelled or released.
    public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
        let feed = SubjectFeed(subject)
        subscribe(feed)
        return AnyCancellable(feed)
    }
}

/// The namespace of the types that operators return.
public enum Publishers {}
