/// The link between one subscriber and its publisher.
///
/// Both methods may be called from any thread, and from inside the subscriber's callbacks. After ``Cancellable/cancel()``
/// nothing more is delivered; a value whose delivery had already begun on another thread may still be in its callback.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    /// Allows the publisher to send `demand` more values.
    func request(_ demand: Subscribers.Demand)
}

/// The namespace of the stock subscriptions.
public enum Subscriptions {
    /// A subscription that ignores demand and cancellation, for publishers that complete at once.
    public static var empty: any Subscription { EmptySubscription.shared }
}

final class EmptySubscription: Subscription, Sendable {
    static let shared = EmptySubscription()
    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}
}
