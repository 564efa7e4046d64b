/// A subscriber whose own type is hidden.
public struct AnySubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible {
    private let subscription: ((any Subscription) -> Void)?
    private let value: ((Input) -> Subscribers.Demand)?
    private let completion: ((Subscribers.Completion<Failure>) -> Void)?

    /// The identifier of what is inside.
    public let combineIdentifier: CombineIdentifier
    /// The description of what is inside.
    public let description: String

    /// Hides the type of `subscriber`.
    public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
        subscription = subscriber.receive(subscription:)
        value = { subscriber.receive($0) }
        completion = { subscriber.receive(completion: $0) }
        combineIdentifier = subscriber.combineIdentifier
        description = "\(subscriber)"
    }

    /// Makes a subscriber of `subject`: it asks for everything and sends it on.
    public init<S: Subject>(_ subject: S) where S.Output == Input, S.Failure == Failure {
        self.init(SubjectFeed(subject))
    }

    /// A subscriber that calls the closures; without `receiveValue` it asks for nothing further.
    public init(
        receiveSubscription: ((any Subscription) -> Void)? = nil,
        receiveValue: ((Input) -> Subscribers.Demand)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
    ) {
        subscription = receiveSubscription
        value = receiveValue
        completion = receiveCompletion
        combineIdentifier = CombineIdentifier()
        description = "AnySubscriber"
    }

    /// Passes the subscription on.
    public func receive(subscription: any Subscription) { self.subscription?(subscription) }
    /// Passes the value on.
    /// - Returns: What the subscriber inside asks for.
    public func receive(_ value: Input) -> Subscribers.Demand { self.value?(value) ?? .none }
    /// Passes the ending on.
    public func receive(completion: Subscribers.Completion<Failure>) { self.completion?(completion) }
}
