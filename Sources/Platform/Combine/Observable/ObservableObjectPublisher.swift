/// The publisher that says that an object is about to change.
///
/// An object's default one lives as long as somebody holds it or is subscribed to it: see ``ObservableObject``.
public final class ObservableObjectPublisher: Publisher, @unchecked Sendable {
    // Unchecked because the audience guards its own state, and `registration` is set before the publisher is shared.

    /// A signal without a value.
    public typealias Output = Void
    /// Nothing can fail here.
    public typealias Failure = Never

    private let audience = Audience<Void, Never>()
    private let registration: ChangePublishers.Registration?

    /// A publisher that is not yet any object's.
    public init() { registration = nil }

    init(registration: ChangePublishers.Registration) { self.registration = registration }

    deinit {
        if let registration { ChangePublishers.remove(registration) }
    }

    /// Attaches `subscriber`, whose subscription keeps this publisher alive.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
        guard registration != nil else { return audience.join(subscriber) }
        audience.join(Keeper(subscriber, keeps: self))
    }

    /// Says to all subscribers that the object is about to change.
    public func send() { audience.send(()) }
}

/// Keeps the publisher alive as long as the subscription.
private final class Keeper<Downstream: Subscriber>: Subscriber, Subscription
where Downstream.Input == Void, Downstream.Failure == Never {
    private let downstream: Guarded<Downstream?>
    private let kept: Guarded<ObservableObjectPublisher?>
    private let link = Link()

    init(_ downstream: Downstream, keeps publisher: ObservableObjectPublisher) {
        self.downstream = Guarded(downstream)
        kept = Guarded(publisher)
    }

    func receive(subscription: any Subscription) {
        link.connect(subscription)
        downstream.withLock { $0 }?.receive(subscription: self)
    }

    func receive(_ input: Void) -> Subscribers.Demand { downstream.withLock { $0 }?.receive(()) ?? .none }

    func receive(completion: Subscribers.Completion<Never>) {}

    func request(_ demand: Subscribers.Demand) { link.request(demand) }

    func cancel() {
        let released = (downstream.take(), kept.take())
        link.cancel()
        withExtendedLifetime(released) {}
    }
}
