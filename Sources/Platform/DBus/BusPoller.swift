import Basics
import CSystemd
import Dispatch
import Foundation
import Glibc

/// A thread that waits until a descriptor is readable, runs a closure on a queue, and waits for its end.
///
/// A dispatch source does the same with four changes of threads for each event: its manager's thread wakes a worker, which
/// has the manager watch the descriptor again. Here an idle serial queue runs the closure on this very thread (that is what
/// `sync` does), so there is one. Measured for a signal a millisecond: 38 µs of processor time each instead of 57. A queue
/// that is busy or belongs to the main thread takes the closure over as it always does, and this thread waits for it.
final class BusPoller: Sendable {
    /// Our end of what tells the thread to stop; nil when it was told, or when there was no descriptor left for it.
    private let stopper: Locked<Int32?>
    private let isStopped: Locked<Bool>

    /// How soon the thread notices that it is to stop if there was no descriptor left to tell it.
    private static let fallback: Int32 = 1000

    /// Unsafe in name only: it is made in `init` and started once.
    nonisolated(unsafe) private let thread: Thread

    /// Watches `descriptor`, which `owner` keeps open, from ``start()`` until ``stop()``. Runs `onReady` on `queue`, a serial
    /// one, whenever there is something to read.
    init(
        _ descriptor: Int32, owner: some AnyObject & Sendable, _ queue: DispatchQueue,
        _ onReady: @escaping @Sendable () -> Void
    ) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let hasStopper = socketpair(AF_UNIX, kind, 0, &ends) == 0
        stopper = Locked(hasStopper ? ends[1] : nil)
        let isStopped = Locked(false)
        self.isStopped = isStopped
        let wait = Wait(descriptor, stopping: hasStopper ? ends[0] : nil)
        thread = Thread {
            while true {
                let isReady = wait.next()
                if isStopped.withLock({ $0 }) { break }
                if isReady { queue.sync(execute: onReady) }
            }
            wait.end()
            withExtendedLifetime(owner) {}
        }
        thread.name = "dbus"
    }

    deinit { stop() }

    /// Begins to watch. Called once.
    func start() { thread.start() }

    /// Ends the thread, soon: `onReady` may be running, or be run once more. Call it on any thread.
    func stop() {
        isStopped.withLock { $0 = true }
        let end = stopper.withLock { end in
            defer { end = nil }
            return end
        }
        // Closing it wakes the thread.
        if let end { close(end) }
    }

    /// How the thread waits. The kernel keeps what it waits for (epoll), which is cheaper to wake from than a list that is
    /// handed over each time; without a descriptor for that it is such a list.
    private struct Wait {
        private let descriptor: Int32
        private let stopping: Int32?
        private let epoll: Int32

        init(_ descriptor: Int32, stopping: Int32?) {
            self.descriptor = descriptor
            self.stopping = stopping
            var epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
            for watched in [descriptor, stopping].compactMap(\.self) where epoll >= 0 {
                var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(fd: watched))
                guard epoll_ctl(epoll, EPOLL_CTL_ADD, watched, &event) != 0 else { continue }
                close(epoll)
                epoll = -1
            }
            self.epoll = epoll
        }

        /// Waits, and says whether the descriptor is readable or broken.
        func next() -> Bool {
            // -1: for ever.
            let limit = stopping == nil ? BusPoller.fallback : -1
            guard epoll < 0 else {
                var event = epoll_event()
                return epoll_wait(epoll, &event, 1, limit) > 0 && event.data.fd == descriptor
            }
            // A negative descriptor is not looked at.
            var entries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopping ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            return poll(&entries, 2, limit) > 0 && entries[0].revents != 0
        }

        func end() {
            if let stopping { close(stopping) }
            if epoll >= 0 { close(epoll) }
        }
    }
}
