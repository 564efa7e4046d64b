import Basics

/// Holds an observer, a watch or an exported object alive: it ends with ``cancel()``, or with the last reference.
///
/// ``cancel()`` is called on the connection's queue, and nothing is delivered after it. The last reference may go on any
/// thread; a delivery that is under way on the queue then still ends.
public final class BusSubscription: Sendable {
    private let lease: Lease
    private let end: Locked<(@Sendable () -> Void)?>

    /// `end` is called once, on any thread; `lease` is void before.
    init(_ lease: Lease, end: @escaping @Sendable () -> Void) {
        self.lease = lease
        self.end = Locked(end)
    }

    deinit { cancel() }

    /// Ends it.
    public func cancel() {
        lease.expire()
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}

/// Says whether a subscription still stands. Safe from any thread.
final class Lease: Sendable {
    private let state = Locked(true)

    var isValid: Bool { state.withLock { $0 } }
    func expire() { state.withLock { $0 = false } }
}
