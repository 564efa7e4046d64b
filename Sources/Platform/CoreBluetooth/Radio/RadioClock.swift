import Basics
import Dispatch

/// Timers on a dispatch queue, measured by any clock.
struct RadioClock: Sendable {
    /// A timer that can be called off. Letting go of it does not call it off.
    final class Alarm: Sendable {
        private let isCancelled = Locked(false)
        private let task = Locked<Task<Void, Never>?>(nil)

        fileprivate init() {}

        fileprivate func start(_ body: @escaping @Sendable (Alarm) async -> Void) {
            let running = Task { await body(self) }
            task.withLock { $0 = running }
        }

        fileprivate func fire(_ body: () -> Void) {
            if !isCancelled.withLock({ $0 }) { body() }
        }

        /// Calls it off. Called on the timer's queue, it makes sure that the timer does not fire any more.
        func cancel() {
            isCancelled.withLock { $0 = true }
            task.withLock { $0 }?.cancel()
        }
    }

    /// What measures.
    let clock: any Clock<Duration>
    /// Time since this value was made.
    let now: @Sendable () -> Duration

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        self.clock = clock
        now = { start.duration(to: clock.now) }
    }

    /// Runs `body` on `queue` after a time, unless it is called off.
    func after(_ delay: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> Alarm {
        let alarm = Alarm()
        alarm.start { [clock] alarm in
            guard (try? await clock.sleep(for: delay)) != nil else { return }
            queue.async { alarm.fire(body) }
        }
        return alarm
    }
}
