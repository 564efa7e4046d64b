import Basics
import CSystemd
public import Dispatch
import Foundation
import Glibc

/// A connection to a message bus, over sd-bus (libsystemd).
///
/// **Threading.** Everything happens on the serial queue given to ``init(_:queue:)``: every method and property is to be
/// used on it (a precondition), and every closure is called on it. A thread of the connection's own waits for the bus and
/// lends itself to the queue when something comes (`BusPoller`). `init` and ``uniqueName`` may be used anywhere. A closure is
/// never called from inside the method that it was given to (``close()`` excepted), and may itself call any method,
/// ``close()`` too.
///
/// **Order.** Calls, matches and signals reach the bus in the order in which they were made here, and answers and signals
/// are delivered in the order in which the bus sent them. So what is called after ``observe(_:_:)`` returns is answered
/// before or after a signal just as it happened at the other side.
///
/// **Lifetime.** Hold the connection: when the last reference goes it is closed, and pending completions get
/// ``BusError/disconnected`` on the queue. ``close()`` does that at once. When the bus goes away, every pending call fails
/// with ``BusError/disconnected``, each once, then ``onDisconnect`` is called, once. A closed or disconnected connection
/// stays so; calls on it fail, subscriptions on it are inert. Make a new one.
///
/// **Errors.** Nothing is trusted that comes from the bus: a message that nests too deep or holds too much is an
/// ``BusError/unexpectedReply(_:)`` where it is an answer, an error to its sender where it is a call, and a logged line
/// where it is a signal. Calls to services that are not running fail with a ``BusError/remote(name:message:)``; those that
/// the bus can start are started. No call asks a user for a password (no interactive authorization).
public final class BusConnection: @unchecked Sendable {
    // Unchecked because everything mutable is touched only on `queue`, in `init` before anybody else has the connection,
    // and in `deinit` when nobody has it any more.

    /// The name that the bus gave this connection, such as `:1.42`.
    public let uniqueName: String
    /// Where everything happens.
    public let queue: DispatchQueue

    /// Called once when the bus has closed the connection, after the pending calls have failed; not after ``close()``.
    public var onDisconnect: (@Sendable () -> Void)? {
        get {
            assertOnQueue()
            return disconnectHandler
        }
        set {
            assertOnQueue()
            disconnectHandler = newValue
        }
    }

    let types = MessageTypes()
    /// Whether it is connected still. Whoever connects on another thread looks here before he waits for ``onDisconnect``:
    /// the bus may have gone in between.
    public var isOpen: Bool { watch != nil }
    /// The connection itself, and what wakes it; nil when closed.
    private(set) var watch: BusWatch?
    private var disconnectHandler: (@Sendable () -> Void)?
    private var isDraining = false
    /// The queue's, if it has any: work that a delivery leads to is done in the same turn.
    private let turns: Turns?
    private var lastID: UInt64 = 0

    private var pending: [UInt64: BusPendingCall] = [:]
    private var observers: [UInt64: SignalObserver] = [:]
    private var exports: [UInt64: ExportedObject] = [:]
    private let unanswered = UnansweredCalls()
    private let names = NameDirectory()

    /// What sd-bus has handed over while it was processing. It is delivered when sd-bus is done, so that no closure runs
    /// inside of it.
    private var deliveries: [Delivery] = []
    enum Delivery {
        case answer(BusPendingCall, Result<[BusValue], BusError>)
        case property(PropertyWatch, BusValue)
        case signal(SignalObserver, BusSignal)
        case call(ExportedObject, BusMethodCall)
        case matchRefused(String)
    }

    /// Messages that are handled before other work of the queue gets its turn.
    private static let batch = 64
    private static let log = Log("dbus")

    /// Connects. Blocks until the bus has answered, usually for a millisecond, at most 5 s. Call it on any thread.
    ///
    /// - Parameters:
    ///   - address: Which bus.
    ///   - queue: A serial queue, which may be the main queue.
    /// - Throws: ``BusError/unreachable(_:)``
    public convenience init(_ address: BusAddress = .system, queue: DispatchQueue) throws(BusError) {
        try self.init(address, queue: queue, within: .seconds(5))
    }

    /// The same, with another limit.
    init(_ address: BusAddress, queue: DispatchQueue, within limit: Duration) throws(BusError) {
        let handle = try BusHandle.open(address, within: limit)
        self.queue = queue
        turns = Turns.of(queue)
        uniqueName = handle.uniqueName
        let watch = BusWatch(handle, queue)
        self.watch = watch
        watch.start { [weak self] in self?.wake() }
    }

    deinit {
        guard isOpen else { return }
        let calls = release()
        guard !calls.isEmpty else { return }
        queue.async { for call in calls { call.finish(.failure(.disconnected)) } }
    }

    /// Closes the connection. Pending calls fail with ``BusError/disconnected`` before this returns; nothing else is
    /// delivered afterwards. What the bus has not taken yet is lost. The bus sees the end, and frees this connection's names,
    /// a moment later: when the work that is under way on the queue is done. A second call does nothing.
    public func close() {
        assertOnQueue()
        guard isOpen else { return }
        disconnectHandler = nil
        for call in release() { call.finish(.failure(.disconnected)) }
    }

    // MARK: Calls

    /// Calls a method.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for the answer, by the machine's clock.
    ///   - completion: Called once, on the queue, with the answer's arguments or why there is none; never if the call is
    ///     cancelled.
    /// - Returns: A handle to cancel the call with.
    @discardableResult
    public func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        timeout: Duration = .seconds(25),
        _ completion: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
    ) -> BusPendingCall {
        assertOnQueue()
        let call = BusPendingCall(id: nextID(), self, destination, path, interface, member, completion)
        do throws(BusError) {
            guard let handle = watch?.handle else { throw .disconnected }
            let message = try handle.methodCall(destination, path, interface, member, arguments)
            defer { sd_bus_message_unref(message) }
            let result = sd_bus_call_async(
                handle.bus, &call.slot, message, answerArrived, Unmanaged.passUnretained(call).toOpaque(),
                timeout.microseconds)
            guard result >= 0 else { throw BusError(sending: call.title, result: result) }
            pending[call.id] = call
            rearm()
        } catch {
            if isOpen { pending[call.id] = call }
            queue.async {
                self.forget(call)
                call.finish(.failure(error))
            }
        }
        return call
    }

    // MARK: Signals

    /// Receives signals.
    ///
    /// The bus is told asynchronously, in order with the calls made before and after. If it refuses (it allows several
    /// hundred matches a connection), the connection is closed as if the bus had gone, since a subscription that hears
    /// nothing is worse. A match that D-Bus does not allow is a mistake of the caller's: it is logged and hears nothing.
    ///
    /// - Parameter handler: Called on the queue for each signal.
    /// - Returns: What to hold for as long as signals are wanted.
    public func observe(
        _ match: BusMatch, _ handler: @escaping @Sendable (BusSignal) -> Void
    ) -> BusSubscription {
        observe(match, watches: nil, handler)
    }

    /// The same, but for what the watches are for.
    func observe(
        _ match: BusMatch, watches: PropertyWatches?, _ handler: @escaping @Sendable (BusSignal) -> Void
    ) -> BusSubscription {
        assertOnQueue()
        let observer = SignalObserver(id: nextID(), self, match, handler)
        observer.watches = watches
        guard let handle = watch?.handle else { return BusSubscription(observer.lease) {} }
        let rule = match.rule
        if rule != nil, let name = match.followedName { observer.owner = names.follow(name, on: self) }
        let result =
            rule.map { rule in
                sd_bus_add_match_async(
                    handle.bus, &observer.slot, rule, signalArrived, matchAdded,
                    Unmanaged.passUnretained(observer).toOpaque())
            } ?? -EINVAL
        guard result >= 0 else {
            let why = rule == nil ? "D-Bus does not allow that" : BusError.text(of: result)
            Self.log.error("signals with \(match) are not received (\(why)): correct the match, or connect again")
            return BusSubscription(observer.lease) {}
        }
        observers[observer.id] = observer
        rearm()
        return BusSubscription(observer.lease) { [weak self, id = observer.id] in
            self?.onQueue { connection in connection.removeObserver(id) }
        }
    }

    /// Follows who owns a well-known name.
    ///
    /// - Parameter handler: Called on the queue with the unique name of the owner, nil for nobody: first as soon as the bus
    ///   has said who it is now, then at each change. Not called when the connection is lost.
    /// - Returns: What to hold for as long as the name is watched.
    public func watchOwner(of name: String, _ handler: @escaping @Sendable (String?) -> Void) -> BusSubscription {
        assertOnQueue()
        let lease = Lease()
        guard isOpen else { return BusSubscription(lease) {} }
        let follower = OwnerFollower(names.follow(name, on: self), lease, handler)
        return BusSubscription(lease) { [weak self] in
            // The follower goes, and with the last one the bus's attention to the name.
            self?.onQueue { _ in withExtendedLifetime(follower) {} }
        }
    }

    // MARK: Objects

    /// Answers method calls on `path` and all paths below it; where exports nest, the longer path has precedence.
    ///
    /// `org.freedesktop.DBus.Peer` is answered by sd-bus. A call whose arguments cannot be read is refused before it gets
    /// here.
    /// - Parameter handler: Called on the queue for each call; see ``BusMethodCall`` for how to answer.
    /// - Returns: What to hold for as long as the object is there.
    /// - Throws: ``BusError/invalid(_:)``, ``BusError/disconnected``
    public func export(
        at path: String, _ handler: @escaping @Sendable (BusMethodCall) -> Void
    ) throws(BusError) -> BusSubscription {
        assertOnQueue()
        guard let handle = watch?.handle else { throw .disconnected }
        let object = ExportedObject(id: nextID(), self, handler)
        let result = sd_bus_add_fallback(
            handle.bus, &object.slot, path, callArrived, Unmanaged.passUnretained(object).toOpaque())
        guard result >= 0 else { throw BusError(sending: "the object path '\(path)'", result: result) }
        exports[object.id] = object
        return BusSubscription(object.lease) { [weak self, id = object.id] in
            self?.onQueue { connection in connection.removeExport(id) }
        }
    }

    private func answer(_ id: UInt64, _ answer: BusAnswer) {
        guard let handle = watch?.handle else { return }
        unanswered.answer(id, answer, on: handle)
        rearm()
    }

    // MARK: What sd-bus hands over; called from inside of `sd_bus_process`

    func answered(_ call: BusPendingCall, _ message: OpaquePointer) {
        deliveries.append(.answer(call, BusHandle.outcome(of: message, types, call: call.title)))
    }

    func received(_ message: OpaquePointer, for observer: SignalObserver) {
        guard let delivery = observer.read(message, types) else { return }
        deliveries.append(delivery)
    }

    func received(_ message: OpaquePointer, for object: ExportedObject) {
        guard let handle = watch?.handle, object.lease.isValid else { return }
        let id = nextID()
        let call = unanswered.call(message, id, types, on: handle) { [weak self] answer in
            if case .dropped = answer {
                self?.onQueue { connection in connection.answer(id, answer) }
            } else {
                self?.assertOnQueue()
                self?.answer(id, answer)
            }
        }
        if let call { deliveries.append(.call(object, call)) }
    }

    func matchRefused(_ reason: String) { deliveries.append(.matchRefused(reason)) }

    // MARK: The loop

    private func wake() {
        if let turns { turns.take { drain() } } else { drain() }
    }

    private func drain() {
        guard let watch, !isDraining else { return }
        let bus = watch.handle.bus
        isDraining = true
        defer { isDraining = false }
        for _ in 0..<Self.batch {
            let result = sd_bus_process(bus, nil)
            deliver()
            guard isOpen else { return }
            guard result >= 0, sd_bus_is_open(bus) > 0 else { return disconnect() }
            // Whether more has come is not asked: it takes the same system call to be told when it has.
            guard result > 0, hasUnread(bus) else { return watch.rearm() }
        }
        queue.async { [weak self] in self?.wake() }
    }

    /// Whether sd-bus has read messages that it has not processed yet.
    private func hasUnread(_ bus: OpaquePointer) -> Bool {
        var count: UInt64 = 0
        return sd_bus_get_n_queued_read(bus, &count) >= 0 && count > 0
    }

    private func deliver() {
        guard !deliveries.isEmpty else { return }
        var batch: [Delivery] = []
        swap(&batch, &deliveries)
        for delivery in batch {
            guard isOpen else { return }
            switch delivery {
            case .answer(let call, let outcome):
                guard forget(call) else { continue }
                call.finish(outcome)
            case .property(let watch, let value): watch.deliver(value)
            case .signal(let observer, let signal): observer.deliver(signal)
            case .call(let object, let call): object.deliver(call)
            case .matchRefused(let reason):
                Self.log.error("the bus refuses a match, so the connection is closed: \(reason)")
                disconnect()
            }
        }
        batch.removeAll(keepingCapacity: true)
        if deliveries.isEmpty { swap(&batch, &deliveries) }
    }

    private func disconnect() {
        let handler = disconnectHandler
        disconnectHandler = nil
        for call in release() { call.finish(.failure(.disconnected)) }
        handler?()
    }

    /// Lets go of everything that hangs on the bus; what is left are the calls to be told, in the order they were made.
    private func release() -> [BusPendingCall] {
        let calls = pending.values.sorted { $0.id < $1.id }
        for call in calls { call.releaseSlot() }
        pending = [:]
        for observer in observers.values { observer.releaseSlot() }
        observers = [:]
        for object in exports.values { object.releaseSlot() }
        exports = [:]
        unanswered.removeAll()
        names.removeAll()
        watch?.stop()
        watch = nil
        return calls
    }

    /// To be called after everything that sd-bus may want to send, or to wait for.
    func rearm() {
        // While messages are handled, the loop does it at its end.
        if !isDraining { watch?.rearm() }
    }

    // MARK: Small print

    private func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    func assertOnQueue() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs `body` on the queue, later. For what may come from any thread.
    private func onQueue(_ body: @escaping @Sendable (BusConnection) -> Void) {
        queue.async { [weak self] in
            guard let self, self.isOpen else { return }
            body(self)
        }
    }

    /// Drops a pending call; says whether it was pending.
    @discardableResult
    func forget(_ call: BusPendingCall) -> Bool {
        guard pending.removeValue(forKey: call.id) != nil else { return false }
        call.releaseSlot()
        return true
    }

    private func removeObserver(_ id: UInt64) {
        guard let observer = observers.removeValue(forKey: id) else { return }
        observer.releaseSlot()
        observer.owner = nil
        rearm()
    }

    private func removeExport(_ id: UInt64) { exports.removeValue(forKey: id)?.releaseSlot() }
}
