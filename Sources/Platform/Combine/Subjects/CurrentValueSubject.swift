/// A subject that keeps its newest value and starts each subscriber with it.
///
/// A subscriber without outstanding demand gets the newest value once it asks. Sends are safe from any thread and from
/// inside a subscriber, as for ``PassthroughSubject``; the last value that a subscriber sees is the subject's ``value``.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    private let audience: Audience<Output, Failure>

    /// A subject that holds `value`.
    public init(_ value: Output) { audience = Audience(replaying: value) }

    /// The newest value. Setting it sends it.
    public var value: Output {
        get {
            guard let value = audience.latest else { preconditionFailure("an audience that replays has a value") }
            return value
        }
        set { audience.send(newValue) }
    }

    /// Attaches `subscriber` and sends it the current value; after the end it gets only the completion.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        audience.join(subscriber)
    }

    /// Makes `value` the current one and sends it. Ignored after the completion.
    public func send(_ value: Output) { audience.send(value) }

    /// Ends the sequence, for good.
    public func send(completion: Subscribers.Completion<Failure>) { audience.send(completion: completion) }

    /// Takes an upstream's subscription and asks it for everything.
    public func send(subscription: any Subscription) { audience.add(feed: subscription) }
}

// Unchecked because the audience guards its own state; values cross threads, hence the condition.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
