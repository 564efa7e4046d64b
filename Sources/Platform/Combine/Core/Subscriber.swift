/// A type that receives what a ``Publisher`` sends.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    /// The kind of value received.
    associatedtype Input
    /// The kind of error received; `Never` when there can be none.
    associatedtype Failure: Error

    /// Tells the subscriber that it is attached. It asks for values through `subscription`, now or later.
    func receive(subscription: any Subscription)
    /// Delivers a value.
    /// - Returns: How many more values are wanted, on top of what is outstanding.
    func receive(_ input: Input) -> Subscribers.Demand
    /// Says that nothing more will come.
    func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
    /// Delivers a signal without a value.
    /// - Returns: How many more are wanted.
    public func receive() -> Subscribers.Demand { receive(()) }
}

/// The namespace of the stock subscribers and of what passes between subscriber and publisher.
public enum Subscribers {}
