import Basics
import DBus
import Dispatch
import Foundation

/// One of the machine's Bluetooth adapters as `bluetoothd` presents it: chosen, watched, found again.
///
/// It has a connection to the bus of its own. When the bus, the daemon or the adapter goes, it waits for it to come back;
/// what was missed for longer than ``patience`` is called `unsupported` until it is there again. The two halves of the
/// radio build on this. Confined to its queue.
final class BlueZAdapter: @unchecked Sendable {
    // Unchecked because the mutable state is touched on `queue` only, but for `complaint`, which is locked.

    enum Event: Sendable {
        /// The adapter's state. Every change of the adapter in use is announced by a state other than `poweredOn`.
        case state(CBManagerState)
        /// News of an object below the adapter in use, or of the adapter itself, while its state is `poweredOn`.
        case object(BusObjectMirror.Event)
    }

    /// How long an absence is expected to pass: the time that a service manager takes to start the daemon again.
    static let patience = Duration.seconds(10)
    /// How long taking a link down may take before the daemon is not waited for.
    private static let farewellLimit = Duration.seconds(10)
    /// Between the daemon's answer that a connection has ended and a new one to the same device. It answers before its
    /// socket of the old one has closed, and that then takes a connection in the making with it: `Connect` would not be
    /// answered for 40 s (BlueZ 5.66, `att_disconnected_cb`).
    private static let settling = Duration.milliseconds(200)
    /// Before an unreachable bus is tried again.
    private static let busRetry = Duration.seconds(5)

    let queue: DispatchQueue
    let clock: RadioClock
    private let bus: BusAddress
    private let log = Log("radio")
    private var choice: AdapterChoice
    private var deliver: (@Sendable (Event) -> Void)?
    private var connection: BusConnection?
    private(set) var objects: BusObjectMirror?
    private var alarm: RadioClock.Alarm?
    private var retry: RadioClock.Alarm?
    private var announced = CBManagerState.unknown
    private let complaint = Locked<String?>(nil)
    /// What the bus, or the daemon that is on it, said instead of listing its objects.
    private var failure: String?
    /// Links that are being taken down.
    private var farewells = 0

    /// - Parameter preferred: A name such as `hci1`, or an address; nil for the first powered adapter.
    init(bus: BusAddress, preferred: String?, queue: DispatchQueue, clock: RadioClock) {
        self.bus = bus
        self.queue = queue
        self.clock = clock
        choice = AdapterChoice(preferred: preferred)
    }

    /// The object path of the adapter in use; nil while there is none.
    var path: String? { choice.path }

    /// The state that was announced last.
    var state: CBManagerState { announced }

    /// What was last said of why there is no adapter to use. May be called from any thread.
    var explanation: String? { complaint.withLock { $0 } }

    /// Tells adapters of several buses apart, for what the managers of a process share.
    var identity: String { "\(bus) \(path ?? "")" }

    // MARK: Life

    /// Connects to the bus and reports the state and what changes, until ``stop()``.
    func start(_ deliver: @escaping @Sendable (Event) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.deliver = deliver
        open()
    }

    /// Leaves the bus, when the links that were given up are down: until then the other managers of the process have to
    /// know that they are not. Nothing is reported any more; pending calls end with a failure.
    func stop() {
        dispatchPrecondition(condition: .onQueue(queue))
        deliver = nil
        alarm?.cancel()
        retry?.cancel()
        objects?.close()
        objects = nil
        if farewells == 0 { close() }
    }

    /// Connects on another thread: a bus that is stuck takes 5 s to say nothing, and the queue is the application's.
    private func open() {
        let finish: @Sendable (Result<BusConnection, BusError>) -> Void = { [weak self] result in self?.opened(result) }
        DispatchQueue.global().async { [bus, queue] in
            let result = Result { () throws(BusError) in try BusConnection(bus, queue: queue) }
            queue.async { finish(result) }
        }
    }

    private func opened(_ result: Result<BusConnection, BusError>) {
        guard deliver != nil else { return }
        do {
            let connection = try result.get()
            guard connection.isOpen else { return busLost() }
            connection.onDisconnect = { [weak self] in self?.busLost() }
            self.connection = connection
            objects = BusObjectMirror(connection, service: BlueZ.service, apart: BlueZ.value, clock: clock.clock) {
                [weak self] event in
                self?.handle(event)
            }
        } catch {
            fail("\(error)")
            apply(choice.daemon(.absent))
            reopenSoon()
        }
    }

    private func close() {
        objects?.close()
        objects = nil
        connection?.close()
        connection = nil
    }

    private func busLost() {
        guard deliver != nil else { return }
        close()
        fail(nil)
        apply(choice.daemon(.absent))
        reopenSoon()
    }

    private func reopenSoon() {
        guard deliver != nil else { return }
        retry = clock.after(Self.busRetry, on: queue) { [weak self] in
            guard let self, deliver != nil, connection == nil else { return }
            open()
        }
    }

    // MARK: Objects

    private func handle(_ event: BusObjectMirror.Event) {
        guard deliver != nil else { return }
        switch event {
        case .available:
            fail(nil)
            // A daemon that took another's place in one step: what the one before held is gone.
            if choice.daemon == .present { apply(choice.daemon(.absent)) }
            apply(choice.present(adapters()))
        case .unavailable(let error):
            let isDenied = error?.name == BusError.accessDenied
            fail(error.map { "\($0)" })
            apply(choice.daemon(isDenied ? .denied : .absent))
        case .added(let path, BlueZ.adapter, let properties):
            apply(choice.adapter(path, properties))
        case .removed(let path, BlueZ.adapter): apply(choice.removed(path))
        case .changed(let path, BlueZ.adapter, let changed, _):
            // Before the power, so that what the switch brings with it is not taken for the adapter's own doing.
            apply(choice.adapter(path, changed))
            pass(event, path)
        case .added(let path, _, _), .removed(let path, _), .changed(let path, _, _, _): pass(event, path)
        }
    }

    private func adapters() -> [(path: String, properties: [String: BusValue])] {
        guard let objects else { return [] }
        return objects.paths(with: BlueZ.adapter).map { ($0, objects.properties($0, BlueZ.adapter) ?? [:]) }
    }

    private func pass(_ event: BusObjectMirror.Event, _ path: String) {
        guard announced == .poweredOn, let adapter = choice.path, path.hasPrefix(adapter) else { return }
        let rest = path.utf8.dropFirst(adapter.utf8.count)
        if rest.isEmpty || rest.first == UInt8(ascii: "/") { deliver?(.object(event)) }
    }

    private func apply(_ states: [CBManagerState]) {
        if !choice.isWaiting {
            alarm?.cancel()
            alarm = nil
        } else if alarm == nil {
            alarm = clock.after(Self.patience, on: queue) { [weak self] in
                guard let self, deliver != nil else { return }
                alarm = nil
                apply(choice.giveUp())
            }
        }
        for state in states {
            announced = state
            explain(state)
            deliver?(.state(state))
        }
    }

    /// Says in the log why there is no radio, and what to do.
    private func explain(_ state: CBManagerState) {
        switch (state, choice.daemon) {
        case (_, _) where failure != nil: break
        case (.poweredOn, _), (.resetting, _): complaint.withLock { $0 = nil }
        case (.unsupported, .absent) where connection != nil:
            complain("bluetoothd is not on the bus: start it (systemctl start bluetooth)")
        case (.unsupported, .present):
            let which = choice.preferred.map { "no adapter \($0)" } ?? "no adapter"
            complain("bluetoothd has \(which): plug it in, or see what bluetoothctl list names")
        case (.poweredOff, _): complain("\(path ?? "it") is switched off: bluetoothctl power on")
        default: break
        }
    }

    private func fail(_ what: String?) {
        failure = what
        if let what { complain(what) } else { complaint.withLock { $0 = nil } }
    }

    private func complain(_ what: String) {
        let isNew = complaint.withLock { complaint in
            defer { complaint = what }
            return complaint != what
        }
        if isNew { log.warning("no Bluetooth adapter to use; waiting for it: \(what)") }
    }

    // MARK: Calls, to the daemon that runs now: addressed to its well-known name, they would make the bus start another
    // one after somebody has stopped it.

    /// Calls a method of one of the daemon's objects.
    ///
    /// - Parameter completion: Called once, on the queue: with a failure when there is no daemon or it goes away; never if
    ///   the call is cancelled.
    @discardableResult
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        timeout: Duration = .seconds(25), _ completion: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
    ) -> BusPendingCall? {
        guard let connection, let owner = objects?.owner else {
            queue.async { completion(.failure(.disconnected)) }
            return nil
        }
        return connection.call(owner, path, interface, member, arguments, timeout: timeout, completion)
    }

    /// Calls a method whose answer is of no interest.
    func send(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []) {
        guard let owner = objects?.owner else { return }
        do {
            try connection?.send(owner, path, interface, member, arguments)
        } catch {
            // The daemon forgets what a lost connection wanted.
            log.debug("\(interface).\(member) at \(path) was not sent: \(error)")
        }
    }

    /// Gives a share of a link back, and has the daemon end the link with the last one.
    /// - Returns: Whether it was the last.
    @discardableResult
    func giveUp(_ share: AdapterSharing.Share, _ sharing: AdapterSharing) -> Bool {
        guard sharing.depart(share) else { return false }
        guard let path, share.adapter == identity else {
            // The link went with its adapter.
            sharing.departed(share)
            return true
        }
        farewells += 1
        // Holds the adapter, and the connection to the bus, until the answer, which comes in any case.
        call(share.address.devicePath(adapter: path), BlueZ.device, "Disconnect", timeout: Self.farewellLimit) { _ in
            _ = self.clock.after(Self.settling, on: self.queue) { sharing.departed(share) }
            self.farewells -= 1
            if self.farewells == 0, self.deliver == nil { self.close() }
        }
        return true
    }

    /// The connection, for objects of this program's own; nil while there is no bus.
    var busConnection: BusConnection? { connection }
}
