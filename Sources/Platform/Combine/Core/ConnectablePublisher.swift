/// A publisher that starts only when told to, so that several subscribers can be attached first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
    /// Starts the publisher.
    /// - Returns: What stops it.
    func connect() -> any Cancellable
}
