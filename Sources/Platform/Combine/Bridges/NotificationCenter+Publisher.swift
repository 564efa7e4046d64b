public import Foundation

extension NotificationCenter {
    /// A publisher of the notifications called `name`, from `object` if there is one.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
        Publisher(center: self, name: name, object: object)
    }

    /// Publishes notifications, on the thread that posts them. A subscriber without demand misses them.
    public struct Publisher: Combine.Publisher {
        /// A notification.
        public typealias Output = Notification
        /// Nothing can fail here.
        public typealias Failure = Never

        /// Where the notifications are posted.
        public let center: NotificationCenter
        /// Their name.
        public let name: Notification.Name
        /// Who posts them; nil for anybody.
        public let object: AnyObject?

        /// Publishes the notifications called `name`.
        public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
            self.center = center
            self.name = name
            self.object = object
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Notification, S.Failure == Never {
            let outlet = ObserverOutlet(subscriber, of: center)
            outlet.observe(name, object)
            outlet.start()
        }
    }
}

private final class ObserverOutlet: Outlet<Notification, Never> {
    private let center: NotificationCenter
    private let token = Guarded<(any NSObjectProtocol)?>(nil)

    init(_ downstream: some Subscriber<Notification, Never>, of center: NotificationCenter) {
        self.center = center
        super.init(downstream, surplus: .drop, nests: true)
    }

    func observe(_ name: Notification.Name, _ object: AnyObject?) {
        // An outlet is safe from any thread.
        let outlet = Unchecked(self)
        let observer = center.addObserver(forName: name, object: object, queue: nil) { outlet.value.offer($0) }
        token.withLock { $0 = observer }
    }

    override func ended() {
        if let observer = token.take() { center.removeObserver(observer) }
    }
}
