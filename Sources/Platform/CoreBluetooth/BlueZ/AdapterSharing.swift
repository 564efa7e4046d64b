import Basics

/// What the managers of this process have to share on one adapter.
///
/// They connect in turn, because controllers take one connection attempt at a time. Their scans rest meanwhile: a connection
/// attempt during discovery waits for the end of the daemon's discovery round, up to 10 s (BlueZ 5.66, Linux 6.1). And a link
/// that several of them use is ended with the last.
///
/// Safe from any thread; state is in one lock, and closures are called after it is released.
final class AdapterSharing: Sendable {
    /// A place in the line of those who want to connect. Stays there until ``AdapterSharing/leave(_:)``.
    final class Turn: Sendable {
        fileprivate let adapter: String
        fileprivate let grant: @Sendable () -> Void

        fileprivate init(adapter: String, grant: @escaping @Sendable () -> Void) {
            self.adapter = adapter
            self.grant = grant
        }
    }

    private struct State {
        var lines: [String: [Turn]] = [:]
        /// Whose turn demands that scans rest.
        var quiet: [String: Turn] = [:]
        var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var holders: [String: [RadioAddress: Int]] = [:]
    }

    /// The managers of this process.
    static let process = AdapterSharing()

    private let state = Locked(State())

    // MARK: Turns

    /// Joins the line of an adapter. `grant` is called once, on this thread or another's, when it is this turn's time.
    func join(_ adapter: String, grant: @escaping @Sendable () -> Void) -> Turn {
        let turn = Turn(adapter: adapter, grant: grant)
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

    /// Calls `body`, on any thread, whenever ``isQuiet(_:)`` may have changed, until ``unwatch(_:)``.
    func watch(_ owner: AnyObject, _ body: @escaping @Sendable () -> Void) {
        let key = ObjectIdentifier(owner)
        state.withLock { $0.watchers[key] = body }
    }

    func unwatch(_ owner: AnyObject) {
        let key = ObjectIdentifier(owner)
        state.withLock { $0.watchers[key] = nil }
    }

    // MARK: Links

    /// Counts one more manager that uses the link to a device.
    func hold(_ adapter: String, _ address: RadioAddress) {
        state.withLock { $0.holders[adapter, default: [:]][address, default: 0] += 1 }
    }

    /// Counts one less.
    /// - Returns: Whether it was the last one.
    func release(_ adapter: String, _ address: RadioAddress) -> Bool {
        state.withLock { state in
            let left = (state.holders[adapter]?[address] ?? 1) - 1
            state.holders[adapter]?[address] = left > 0 ? left : nil
            return left <= 0
        }
    }

    /// Whether another manager uses the link.
    func isHeld(_ adapter: String, _ address: RadioAddress) -> Bool {
        state.withLock { $0.holders[adapter]?[address] != nil }
    }
}
