/// A subject that sends each value to whoever is subscribed at that moment and keeps none.
///
/// A subscriber without outstanding demand misses the value. Sends are safe from any thread and from inside a
/// subscriber: all subscribers see concurrent sends in one order, and a send from inside a subscriber is delivered
/// before it returns (up to sixteen deep; beyond that, once the subscriber is back, which spares the stack). While
/// another thread delivers to a subscriber, that thread takes the value over.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
    private let audience = Audience<Output, Failure>()

    /// A subject without subscribers.
    public init() {}

    /// Attaches `subscriber`; after the end it gets the completion at once.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        audience.join(subscriber)
    }

    /// Sends `value` to the current subscribers. Ignored after the completion.
    public func send(_ value: Output) { audience.send(value) }

    /// Ends the sequence, for good.
    public func send(completion: Subscribers.Completion<Failure>) { audience.send(completion: completion) }

    /// Takes an upstream's subscription; it is asked for everything once a subscriber has asked for something.
    public func send(subscription: any Subscription) { audience.add(feed: subscription) }
}

// Unchecked because the audience guards its own state; values cross threads, hence the condition.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
