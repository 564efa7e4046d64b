import Basics
import Dispatch

/// A local picture of the objects of a service that has an ObjectManager, such as `org.bluez`.
///
/// It asks for all objects (`GetManagedObjects`) whenever the service appears on the bus, and follows `InterfacesAdded`,
/// `InterfacesRemoved` and `PropertiesChanged`. Signals that come between the question and the answer are not lost and not
/// doubled: the answer arrives in line with them, so those before it are part of it, and those after it are applied to it.
/// Only signals of the service's own connection count. When it is refused or gets no answer, it asks again, after 1, 2, 4 s
/// and so on, every 30 s in the end; also when the bus's policy refuses, which a reload of the policy may change.
///
/// Used on the connection's queue only, which is also where `onEvent` is called: after the picture has changed, so that
/// what ``properties(_:_:)`` says is what the event says or newer. Hold it for as long as events are wanted. When the
/// connection is lost, nothing more is reported; see ``BusConnection/onDisconnect``.
public final class BusObjectMirror: @unchecked Sendable {
    // Unchecked because everything mutable is touched only on the connection's queue.

    /// What has happened at the service.
    public enum Event: Sendable, Equatable {
        /// The service is there and its objects are known; each of their interfaces is reported with ``added(path:interface:properties:)``
        /// right after this. The owner is the unique name of the service's connection.
        case available(owner: String)
        /// The service has gone, or was not there at the start (nil); or it does not show its objects: refused by the bus's
        /// policy (a ``BusError/remote(name:message:)`` named AccessDenied), no answer, a wrong one. All objects are gone from
        /// the picture, without ``removed(path:interface:)`` for each. Told again only when the reason is another one.
        case unavailable(BusError?)
        /// An object has got an interface.
        case added(path: String, interface: String, properties: [String: BusValue])
        /// An object has lost an interface; with its last one it is gone.
        case removed(path: String, interface: String)
        /// Properties have changed. Those in `invalidated` have an unknown new value and are gone from the picture.
        case changed(path: String, interface: String, changed: [String: BusValue], invalidated: [String])
    }

    /// The unique name of the service's connection; nil while the service is not there.
    public private(set) var owner: String?
    /// Whether the objects are known.
    public private(set) var isAvailable = false

    private let connection: BusConnection
    private let service: String
    private let root: String
    private let clock: any Clock<Duration>
    private var onEvent: (@Sendable (Event) -> Void)?
    private var objects: [String: [String: [String: BusValue]]] = [:]
    private let watches: PropertyWatches?
    private var subscriptions: [BusSubscription] = []
    private var question: BusPendingCall?
    private var pause: Task<Void, Never>?
    private var backoff = Backoff(first: .seconds(1), limit: .seconds(30))
    /// Why there are no objects, when that has been told.
    private var trouble: BusError?

    /// Starts to follow a service. The first event is ``Event/available(owner:)`` or ``Event/unavailable(_:)``.
    ///
    /// - Parameters:
    ///   - service: Its well-known name.
    ///   - root: Where its ObjectManager is.
    ///   - pathNamespace: The part of the service's objects whose properties are followed; `/` for all. A service of which
    ///     many objects change often is cheaper to follow in part.
    ///   - property: One that changes often and is of interest to few. A signal that tells it alone changes nothing here and
    ///     is no event: see ``watch(_:_:)``.
    ///   - clock: Measures the pauses before it asks again.
    public init(
        _ connection: BusConnection, service: String, root: String = "/", pathNamespace: String = "/",
        apart property: BusProperty? = nil, clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.connection = connection
        self.service = service
        self.root = root
        self.clock = clock
        watches = property.map { PropertyWatches($0) }
        self.onEvent = onEvent
        start(pathNamespace)
    }

    deinit { pause?.cancel() }

    /// Ends it; nothing is reported afterwards. A second call does nothing.
    public func close() {
        subscriptions = []
        forgetQuestion()
        owner = nil
        isAvailable = false
        objects = [:]
        onEvent = nil
    }

    /// The properties of an object's interface; nil where there is no such object or interface.
    public func properties(_ path: String, _ interface: String) -> [String: BusValue]? { objects[path]?[interface] }

    /// The objects that have an interface, in the order of their paths.
    public func paths(with interface: String) -> [String] {
        objects.filter { $0.value[interface] != nil }.keys.sorted()
    }

    /// The objects below a path that have an interface, and the properties of that; in any order.
    public func objects(
        below path: String, with interface: String
    ) -> [(path: String, properties: [String: BusValue])] {
        objects.compactMap { entry in
            let rest = entry.key.utf8.dropFirst(path.utf8.count)
            guard rest.first == UInt8(ascii: "/"), entry.key.hasPrefix(path) else { return nil }
            return entry.value[interface].map { (entry.key, $0) }
        }
    }

    /// The names of an object's interfaces, in order; empty where there is no such object.
    public func interfaces(of path: String) -> [String] { objects[path, default: [:]].keys.sorted() }

    /// Follows, at one object, the property that is kept apart.
    /// - Parameter handler: Called on the queue with each value that is signalled.
    /// - Returns: What to hold for as long as the values are wanted.
    public func watch(_ path: String, _ handler: @escaping @Sendable (BusValue) -> Void) -> BusSubscription {
        connection.assertOnQueue()
        let watch = PropertyWatch(path, handler)
        watches?.add(watch)
        return BusSubscription(watch.lease) { [weak self] in
            self?.connection.queue.async { [weak self] in self?.watches?.remove(watch) }
        }
    }

    // MARK: What the bus says

    private func start(_ pathNamespace: String) {
        // The owner is asked for first, and the matches are added before the objects are asked for: so every signal from
        // the answer on is received.
        subscriptions.append(
            connection.watchOwner(of: service) { [weak self] owner in self?.ownerChanged(to: owner) })
        let added = BusMatch(
            sender: service, path: root, interface: BusName.objectManager, member: "InterfacesAdded")
        subscriptions.append(connection.observe(added) { [weak self] signal in self?.interfacesAdded(signal) })
        let removed = BusMatch(
            sender: service, path: root, interface: BusName.objectManager, member: "InterfacesRemoved")
        subscriptions.append(connection.observe(removed) { [weak self] signal in self?.interfacesRemoved(signal) })
        let changed = BusMatch(
            sender: service, pathNamespace: pathNamespace == "/" ? nil : pathNamespace, interface: BusName.properties,
            member: "PropertiesChanged")
        subscriptions.append(
            connection.observe(changed, watches: watches) { [weak self] signal in self?.propertiesChanged(signal) })
    }

    private func ownerChanged(to owner: String?) {
        forgetQuestion()
        backoff.reset()
        self.owner = owner
        isAvailable = false
        objects = [:]
        if owner == nil { onEvent?(.unavailable(nil)) } else { ask() }
    }

    private func forgetQuestion() {
        question?.cancel()
        question = nil
        pause?.cancel()
        pause = nil
        trouble = nil
    }

    private func ask() {
        guard let owner else { return }
        // By its unique name: a successor would be asked anew.
        question = connection.call(owner, root, BusName.objectManager, "GetManagedObjects") { [weak self] outcome in
            self?.answered(outcome)
        }
    }

    private func answered(_ outcome: Result<[BusValue], BusError>) {
        question = nil
        guard let owner else { return }
        switch outcome {
        case .failure(.disconnected): break
        case .failure(let error): failed(error)
        case .success(let values):
            guard let objects = values.first.flatMap(Self.objects) else {
                let text = "\(service)\(root) answers GetManagedObjects with '\(values.first?.typeSignature ?? "")'"
                return failed(.unexpectedReply(text))
            }
            backoff.reset()
            trouble = nil
            self.objects = objects
            isAvailable = true
            onEvent?(.available(owner: owner))
            for (path, interfaces) in objects.sorted(by: { $0.key < $1.key }) {
                // The closure may have ended this.
                for (interface, properties) in interfaces.sorted(by: { $0.key < $1.key }) where isAvailable {
                    onEvent?(.added(path: path, interface: interface, properties: properties))
                }
            }
        }
    }

    private func failed(_ error: BusError) {
        pause = Task { [weak self, clock, queue = connection.queue, delay = backoff.next(), owner] in
            guard (try? await clock.sleep(for: delay)) != nil else { return }
            queue.async { [weak self] in
                guard let self, self.owner == owner, trouble != nil, question == nil else { return }
                ask()
            }
        }
        guard trouble != error else { return }
        trouble = error
        onEvent?(.unavailable(error))
    }

    private func interfacesAdded(_ signal: BusSignal) {
        guard isAvailable, signal.arguments.count == 2, let path = signal.arguments[0].string,
            let interfaces = Self.interfaces(signal.arguments[1])
        else { return }
        for (interface, properties) in interfaces.sorted(by: { $0.key < $1.key }) where isAvailable {
            objects[path, default: [:]][interface] = properties
            onEvent?(.added(path: path, interface: interface, properties: properties))
        }
    }

    private func interfacesRemoved(_ signal: BusSignal) {
        guard isAvailable, signal.arguments.count == 2, let path = signal.arguments[0].string,
            let interfaces = signal.arguments[1].strings
        else { return }
        for interface in interfaces where objects[path]?[interface] != nil {
            objects[path]?[interface] = nil
            if objects[path]?.isEmpty == true { objects[path] = nil }
            onEvent?(.removed(path: path, interface: interface))
        }
    }

    private func propertiesChanged(_ signal: BusSignal) {
        guard isAvailable, signal.arguments.count == 3, let interface = signal.arguments[0].string,
            let changed = signal.arguments[1].properties, let invalidated = signal.arguments[2].strings,
            objects[signal.path]?[interface] != nil
        else { return }
        for (property, value) in changed { objects[signal.path]?[interface]?[property] = value }
        for property in invalidated { objects[signal.path]?[interface]?[property] = nil }
        watches?.tell(signal.path, interface, changed)
        onEvent?(.changed(path: signal.path, interface: interface, changed: changed, invalidated: invalidated))
    }

    // MARK: What the values mean

    private static func objects(_ value: BusValue) -> [String: [String: [String: BusValue]]]? {
        guard case .dictionary(key: "o", value: "a{sa{sv}}", let entries) = value else { return nil }
        var objects: [String: [String: [String: BusValue]]] = [:]
        for entry in entries {
            guard let path = entry.key.string, let interfaces = interfaces(entry.value) else { return nil }
            objects[path] = interfaces
        }
        return objects
    }

    private static func interfaces(_ value: BusValue) -> [String: [String: BusValue]]? {
        guard case .dictionary(key: "s", value: "a{sv}", let entries) = value else { return nil }
        var interfaces: [String: [String: BusValue]] = [:]
        for entry in entries {
            guard let name = entry.key.string, let properties = entry.value.properties else { return nil }
            interfaces[name] = properties
        }
        return interfaces
    }
}
