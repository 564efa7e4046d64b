/// A publisher that code can push values into.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    /// Sends `value` to the subscribers.
    func send(_ value: Output)
    /// Ends the sequence for the subscribers, and for those that come later.
    func send(completion: Subscribers.Completion<Failure>)
    /// Lets an upstream publisher feed the subject; the subject asks it for values.
    func send(subscription: any Subscription)
}

extension Subject where Output == Void {
    /// Sends a signal without a value.
    public func send() { send(()) }
}
