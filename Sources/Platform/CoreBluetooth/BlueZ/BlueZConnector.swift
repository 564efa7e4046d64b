import Basics
import DBus
import Dispatch

/// Carries a ``ConnectAttempt`` out: takes turns with the other managers of the process, calls, waits, tries again.
///
/// Confined to the radio's queue.
final class BlueZConnector: @unchecked Sendable {
    // Unchecked because the mutable state is touched on the radio's queue only.

    enum Event: Sendable {
        /// ``needsDiscovery`` has changed.
        case discovery
        /// The link is this manager's too, by this share.
        case connected(AdapterSharing.Share)
        case failed(RadioFailure)
        /// The daemon is to drop the connection that it makes, unless others have a share. ``BlueZConnector/begin()`` when
        /// it has.
        case abandon(AdapterSharing.Share)
    }

    /// How long the daemon may take to connect. The kernel gives up after 20 to 40 s.
    private static let limit = Duration.seconds(60)
    /// How long a call may keep others waiting.
    private static let slice = Duration.seconds(5)
    /// Failures after which the trouble is worth a line in the log.
    private static let patience = 4

    let address: RadioAddress
    private let adapter: BlueZAdapter
    private let path: String
    private let sharing: AdapterSharing
    /// Whether a scan waits for the end of the call.
    private let isScanWaiting: @Sendable () -> Bool
    private let deliver: @Sendable (BlueZConnector, Event) -> Void
    private let log = Log("radio")
    private var attempt = ConnectAttempt()
    private var turn: AdapterSharing.Turn?
    /// While a call is under way.
    private var share: AdapterSharing.Share?
    private var call: BusPendingCall?
    /// Whether the daemon has been told to end the attempt that the turn was for.
    private var isAbandoned = false
    private var alarm: RadioClock.Alarm?

    init(
        _ address: RadioAddress, path: String, _ adapter: BlueZAdapter, _ sharing: AdapterSharing,
        isScanWaiting: @escaping @Sendable () -> Bool,
        deliver: @escaping @Sendable (BlueZConnector, Event) -> Void
    ) {
        self.address = address
        self.adapter = adapter
        self.path = path
        self.sharing = sharing
        self.isScanWaiting = isScanWaiting
        self.deliver = deliver
    }

    deinit {
        alarm?.cancel()
        if let turn { sharing.leave(turn) }
        if let share { sharing.release(share) }
    }

    /// Whether a scan is needed to find the device.
    var needsDiscovery: Bool { attempt.needsDiscovery }

    /// Whether an earlier connection to the device is still being taken down, by whichever manager of this process.
    private var isBlocked: Bool { sharing.isLeaving(adapter.identity, address) }

    private var isKnown: Bool { adapter.objects?.properties(path, BlueZ.device) != nil }

    /// Begins, unless an earlier connection is still being taken down.
    func begin() {
        guard !isBlocked else { return }
        step { attempt in attempt.begin(isKnown: isKnown) }
    }

    /// The device was heard.
    func heard() {
        guard !isBlocked else { return }
        step { attempt in attempt.heard() }
    }

    /// Withdraws the wish, without an event but `abandon`.
    func cancel() {
        alarm?.cancel()
        step { attempt in attempt.cancel() }
    }

    /// The daemon or the adapter is gone, and the wish with it: no event, nobody to tell.
    func drop() {
        alarm?.cancel()
        call?.cancel()
        call = nil
        if let turn { sharing.leave(turn) }
        turn = nil
        if let share { sharing.release(share) }
        share = nil
        _ = attempt.cancel()
    }

    private func granted() {
        guard attempt.phase == .queued else { return }
        let share = isKnown ? sharing.hold(adapter.identity, address) : nil
        self.share = share
        step { attempt in attempt.granted(isKnown: isKnown, isFree: share != nil) }
    }

    private func takeShare() -> AdapterSharing.Share? {
        defer { share = nil }
        return share
    }

    private func step(_ body: (inout ConnectAttempt) -> [ConnectAttempt.Action]) {
        let before = attempt.needsDiscovery
        let actions = body(&attempt)
        for action in actions { perform(action) }
        if attempt.phase != .over, attempt.needsDiscovery != before { deliver(self, .discovery) }
    }

    private func perform(_ action: ConnectAttempt.Action) {
        switch action {
        case .joinLine:
            alarm?.cancel()
            turn = sharing.join(adapter.identity, for: address) { [weak self, queue = adapter.queue] in
                queue.async { [weak self] in self?.granted() }
            }
        case .leaveLine:
            alarm?.cancel()
            if let turn { isAbandoned ? sharing.leaveWhenGone(turn) : sharing.leave(turn) }
            turn = nil
        case .call(let quietly):
            if quietly, let turn { sharing.hush(turn) }
            connect()
        case .abandon:
            call?.cancel()
            call = nil
            abandon()
        case .pause(let duration):
            alarm?.cancel()
            alarm = adapter.clock.after(duration, on: adapter.queue) { [weak self] in
                guard let self else { return }
                step { attempt in attempt.paused(isKnown: isKnown) }
            }
        case .connected:
            guard let share = takeShare() else { return }
            deliver(self, .connected(share))
        case .failed(let failure): deliver(self, .failed(failure))
        }
    }

    private func abandon() {
        guard let share = takeShare() else { return }
        isAbandoned = true
        deliver(self, .abandon(share))
    }

    private func connect() {
        isAbandoned = false
        yieldWhenSlow()
        call = adapter.call(path, BlueZ.device, "Connect", timeout: Self.limit) { [weak self] result in
            guard let self else { return }
            call = nil
            switch result {
            case .success: verify()
            case .failure(let error):
                log(error)
                if case .timedOut = error { abandon() } else { failed() }
                step { attempt in attempt.answered(.init(error)) }
            }
        }
    }

    /// The daemon says success also when the connection was aborted (BlueZ 5.66, `att_connect_cb`).
    private func verify() {
        if adapter.objects?.properties(path, BlueZ.device)?["Connected"]?.bool == true {
            return step { attempt in attempt.answered(.connected) }
        }
        call = adapter.call(path, BusName.properties, "Get", [.string(BlueZ.device), "Connected"]) {
            [weak self] result in
            guard let self else { return }
            call = nil
            let isConnected = (try? result.get())?.first?.bool == true
            if !isConnected { failed() }
            step { attempt in attempt.answered(isConnected ? .connected : .passing(isCrowded: false)) }
        }
    }

    /// There is no link to have a share in.
    private func failed() {
        if let share = takeShare() { sharing.release(share) }
    }

    /// Lets the others have a turn when this one takes long.
    private func yieldWhenSlow() {
        alarm = adapter.clock.after(Self.slice, on: adapter.queue) { [weak self] in
            guard let self, attempt.phase == .calling else { return }
            if sharing.isContended(adapter.identity) || isScanWaiting() {
                step { attempt in attempt.cut() }
            } else {
                yieldWhenSlow()
            }
        }
    }

    private func log(_ error: BusError) {
        if attempt.failures + 1 == Self.patience {
            log.warning("connecting to \(address) has failed \(Self.patience) times and is tried on: \(error)")
        } else {
            log.debug("connecting to \(address) failed: \(error)")
        }
    }
}
