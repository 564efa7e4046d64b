import DBus

/// Which of the machine's adapters is used, and what state that gives.
///
/// A value: it is told what the daemon says and answers with the states to report, in order.
struct AdapterChoice: Equatable, Sendable {
    /// What is known of the daemon.
    enum Daemon: Equatable, Sendable {
        /// Nothing yet.
        case unknown
        /// Nobody has the name, or there is no bus.
        case absent
        /// The bus's policy keeps this program away from it.
        case denied
        /// It answers.
        case present
    }

    private struct Adapter: Equatable {
        var hasPower: Bool
        /// It is being switched off: its connections end now, one by one, before it has no power.
        var isFading: Bool
        var address: String?

        var isPowered: Bool { hasPower && !isFading }
    }

    /// A name such as `hci1`, or an address; nil for the first powered adapter.
    let preferred: String?
    private(set) var daemon = Daemon.unknown
    private var adapters: [String: Adapter] = [:]
    /// The object path of the adapter that is used.
    private(set) var path: String?
    /// Whether there was one: then its absence is expected to pass.
    private var hadAdapter = false
    /// Whether the one in use has been powered: then it is kept when it is switched off.
    private var wasPowered = false
    private var isGivenUp = false
    private(set) var state = CBManagerState.unknown

    init(preferred: String?) { self.preferred = preferred }

    /// Whether the state is `resetting` and turns into another one when nothing comes back for a while.
    var isWaiting: Bool { state == .resetting }

    /// The daemon answers, and these are its adapters.
    mutating func present(_ adapters: [(path: String, properties: [String: BusValue])]) -> [CBManagerState] {
        daemon = .present
        self.adapters = [:]
        for (path, properties) in adapters { note(path, properties) }
        return settle()
    }

    /// News of the daemon; an answering one is ``present(_:)``.
    mutating func daemon(_ daemon: Daemon) -> [CBManagerState] {
        self.daemon = daemon
        if daemon != .present { adapters = [:] }
        return settle()
    }

    /// An adapter is there, or some of its properties changed.
    mutating func adapter(_ path: String, _ properties: [String: BusValue]) -> [CBManagerState] {
        note(path, properties)
        return settle()
    }

    private mutating func note(_ path: String, _ properties: [String: BusValue]) {
        let known = adapters[path]
        adapters[path] = Adapter(
            hasPower: properties["Powered"]?.bool ?? known?.hasPower ?? false,
            isFading: properties["PowerState"]?.string.map { $0 == "on-disabling" } ?? known?.isFading ?? false,
            address: properties["Address"]?.string ?? known?.address)
    }

    /// An adapter is gone.
    mutating func removed(_ path: String) -> [CBManagerState] {
        adapters[path] = nil
        return settle()
    }

    /// What was missed did not come back in time.
    mutating func giveUp() -> [CBManagerState] {
        isGivenUp = true
        return settle()
    }

    private mutating func settle() -> [CBManagerState] {
        let before = (path: path, state: state)
        choose()
        if path != nil {
            hadAdapter = true
            isGivenUp = false
        }
        state = currentState
        var states: [CBManagerState] = []
        // Another adapter in use: scans and connections of the one before are over, which takes a state to say.
        if before.state == .poweredOn, state == .poweredOn, before.path != path { states.append(.resetting) }
        if state != before.state || !states.isEmpty { states.append(state) }
        return states
    }

    private mutating func choose() {
        guard daemon == .present else {
            (path, wasPowered) = (nil, false)
            return
        }
        let candidates = adapters.filter { isPreferred($0.key, $0.value) }
        // An adapter in use is kept while it is there. One that never was on gives way to one that is.
        if let path, let current = candidates[path], current.isPowered || wasPowered {
            wasPowered = true
            return
        }
        let order = candidates.keys.sorted { left, right in
            (left.utf8.count, left) < (right.utf8.count, right)
        }
        let powered = order.first { candidates[$0]?.isPowered == true }
        path = powered ?? path.flatMap { candidates[$0] == nil ? nil : $0 } ?? order.first
        wasPowered = powered != nil
    }

    private func isPreferred(_ path: String, _ adapter: Adapter) -> Bool {
        guard let preferred, !preferred.isEmpty else { return true }
        return path == preferred || path.hasSuffix("/" + preferred)
            || adapter.address?.lowercased() == preferred.lowercased()
    }

    private var currentState: CBManagerState {
        switch daemon {
        case .unknown: hadAdapter ? .resetting : .unknown
        case .denied: .unauthorized
        case .absent: absence
        case .present: path.flatMap { adapters[$0] }.map { $0.isPowered ? .poweredOn : .poweredOff } ?? absence
        }
    }

    private var absence: CBManagerState { hadAdapter && !isGivenUp ? .resetting : .unsupported }
}
