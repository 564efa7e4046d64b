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
        audience.join(Watched(subscriber) { withExtendedLifetime(self) {} })
    }

    /// Says to all subscribers that the object is about to change.
    public func send() { audience.send(()) }
}
