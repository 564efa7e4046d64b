import Basics

/// What the managers of this process have to share on one adapter.
///
/// They connect in turn, because controllers take one connection attempt at a time. Their scans rest meanwhile: a connection
/// attempt during discovery waits for the end of the daemon's discovery round, up to 10 s (BlueZ 5.66, Linux 6.1). And a link
/// that several of them use is ended with the last; while it ends, which takes the daemon two seconds, nobody connects anew.
///
/// Safe from any thread; state is in one lock, and closures are called after it is released.
final class AdapterSharing: Sendable {
    /// A place in the line of those who want to connect. Stays there until ``AdapterSharing/leave(_:)``.
    final class Turn: Sendable {
        fileprivate let adapter: String
        fileprivate let address: RadioAddress
        fileprivate let grant: @Sendable () -> Void

        fileprivate init(adapter: String, address: RadioAddress, grant: @escaping @Sendable () -> Void) {
            self.adapter = adapter
            self.address = address
            self.grant = grant
        }
    }

    /// One manager's use of the link to a device, from the call on that makes it.
    final class Share: Sendable {
        let adapter: String
        let address: RadioAddress

        fileprivate init(adapter: String, address: RadioAddress) {
            self.adapter = adapter
            self.address = address
        }
    }

    fileprivate struct State {
        var lines: [String: [Turn]] = [:]
        /// Whose turn demands that scans rest.
        var quiet: [String: Turn] = [:]
        var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var shares: [String: [RadioAddress: [Share]]] = [:]
        /// Turns that are over when the links to their devices are gone.
        var lingering: [Turn] = []
        /// Links that are being taken down: none of them has a share.
        var leaving: [String: Set<RadioAddress>] = [:]
    }

    /// The managers of this process.
    static let process = AdapterSharing()

    private let state = Locked(State())

    // MARK: Turns

    /// Joins the line of an adapter, to connect to a device. `grant` is called once, on this thread or another's, when it is
    /// this turn's time.
    func join(_ adapter: String, for address: RadioAddress, grant: @escaping @Sendable () -> Void) -> Turn {
        let turn = Turn(adapter: adapter, address: address, grant: grant)
        let isFirst = state.withLock { state in
            state.lines[adapter, default: []].append(turn)
            return state.lines[adapter]?.count == 1
        }
        if isFirst { grant() }
        return turn
    }

    /// Leaves the line, whether it was this turn's time or not; the next one is granted, and scans need not rest for this
    /// one any more.
    func leave(_ turn: Turn) {
        let (next, watchers): (Turn?, [@Sendable () -> Void]) = state.withLock { state in
            guard var line = state.lines[turn.adapter], let index = line.firstIndex(where: { $0 === turn }) else {
                return (nil, [])
            }
            line.remove(at: index)
            state.lines[turn.adapter] = line.isEmpty ? nil : line
            let wasQuiet = state.quiet[turn.adapter] === turn
            if wasQuiet { state.quiet[turn.adapter] = nil }
            return (index == 0 ? line.first : nil, wasQuiet ? Array(state.watchers.values) : [])
        }
        for watcher in watchers { watcher() }
        next?.grant()
    }

    /// Leaves the line as soon as the link to the turn's device is not being taken down.
    ///
    /// Nobody may call `Connect` before the daemon has answered the `Disconnect` of an attempt: taken up together, the new
    /// attempt's socket gets the number of the one before, whose watch then wakes for a device that is gone. BlueZ 5.66
    /// crashes of it (`device_request_disconnect` closes the socket, the main loop drops its watch at the next turn).
    func leaveWhenGone(_ turn: Turn) {
        let isToWait = state.withLock { state in
            guard state.leaving[turn.adapter]?.contains(turn.address) == true else { return false }
            state.lingering.append(turn)
            return true
        }
        if !isToWait { leave(turn) }
    }

    /// Whether somebody waits behind the one whose time it is.
    func isContended(_ adapter: String) -> Bool { state.withLock { ($0.lines[adapter]?.count ?? 0) > 1 } }

    // MARK: Scans

    /// Lets all scans rest until the turn is over.
    func hush(_ turn: Turn) {
        let watchers = state.withLock { state in
            state.quiet[turn.adapter] = turn
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher() }
    }

    /// Whether scans shall rest.
    func isQuiet(_ adapter: String) -> Bool { state.withLock { $0.quiet[adapter] != nil } }

    /// Calls `body`, on any thread, whenever ``isQuiet(_:)`` may have changed and when a link has been taken down, until
    /// ``unwatch(_:)``.
    func watch(_ owner: AnyObject, _ body: @escaping @Sendable () -> Void) {
        let key = ObjectIdentifier(owner)
        state.withLock { $0.watchers[key] = body }
    }

    func unwatch(_ owner: AnyObject) {
        let key = ObjectIdentifier(owner)
        state.withLock { $0.watchers[key] = nil }
    }

    // MARK: Links

    /// Takes a share of the link to a device, to be given back by ``release(_:)`` or ``depart(_:)``. To be taken before
    /// `Connect` is called: while a link ends the daemon says 'connected' at once, of the connection that is about to go.
    /// - Returns: nil while a link to it is being taken down; the watchers are called when it is gone.
    func hold(_ adapter: String, _ address: RadioAddress) -> Share? {
        let share = Share(adapter: adapter, address: address)
        return state.withLock { state in
            guard state.leaving[adapter]?.contains(address) != true else { return nil }
            state.shares[adapter, default: [:]][address, default: []].append(share)
            return share
        }
    }

    /// Gives back the share of a link that is gone by itself, or that did not come about. A second time does nothing.
    func release(_ share: Share) { state.withLock { _ = $0.give(share) } }

    /// Gives the share of a link back that is not wanted any more.
    /// - Returns: Whether it was the last one: then the caller takes the link down and says ``departed(_:)``; until then
    ///   nobody gets a share.
    func depart(_ share: Share) -> Bool {
        state.withLock { state in
            guard state.give(share), state.shares[share.adapter]?[share.address] == nil else { return false }
            state.leaving[share.adapter, default: []].insert(share.address)
            return true
        }
    }

    /// The link that had this last share is gone.
    func departed(_ share: Share) {
        let (turns, watchers): ([Turn], [@Sendable () -> Void]) = state.withLock { state in
            guard state.leaving[share.adapter]?.remove(share.address) != nil else { return ([], []) }
            if state.leaving[share.adapter]?.isEmpty == true { state.leaving[share.adapter] = nil }
            let isOver: (Turn) -> Bool = { $0.adapter == share.adapter && $0.address == share.address }
            defer { state.lingering.removeAll(where: isOver) }
            return (state.lingering.filter(isOver), Array(state.watchers.values))
        }
        for turn in turns { leave(turn) }
        for watcher in watchers { watcher() }
    }

    /// Whether somebody of this process has a link to a device, or waits to make one, or has it taken down.
    func isInUse(_ adapter: String, _ address: RadioAddress) -> Bool {
        state.withLock { state in
            state.shares[adapter]?[address] != nil || state.leaving[adapter]?.contains(address) == true
                || state.lines[adapter]?.contains { $0.address == address } == true
        }
    }

    /// Whether the link to a device is being taken down.
    func isLeaving(_ adapter: String, _ address: RadioAddress) -> Bool {
        state.withLock { $0.leaving[adapter]?.contains(address) == true }
    }
}

extension AdapterSharing.State {
    /// - Returns: Whether it had not been given back before.
    fileprivate mutating func give(_ share: AdapterSharing.Share) -> Bool {
        guard var left = shares[share.adapter]?[share.address],
            let index = left.firstIndex(where: { $0 === share })
        else { return false }
        left.remove(at: index)
        shares[share.adapter]?[share.address] = left.isEmpty ? nil : left
        return true
    }
}
