import Basics
import Dispatch

/// The flow's time limits, measured on the injected clock. Confined to the manager's queue.
final class FlowTimers {
    private struct Running {
        var number: Int
        var task: Task<Void, Never>
    }

    private let clock: any Clock<Duration>
    private let queue: DispatchQueue
    private let running = Locked<[PairingFlow.Timer: Running]>([:])
    private var started = 0
    private let expired = Locked<@Sendable (PairingFlow.Timer) -> Void>({ _ in })

    init(clock: any Clock<Duration>, queue: DispatchQueue) {
        self.clock = clock
        self.queue = queue
    }

    /// Says who hears of a limit that has passed. Called on the queue.
    func onExpiry(_ body: @escaping @Sendable (PairingFlow.Timer) -> Void) { expired.withLock { $0 = body } }

    deinit { for timer in running.withLock({ $0.values }) { timer.task.cancel() } }

    func start(_ timer: PairingFlow.Timer, _ duration: Duration) {
        stop(timer)
        started += 1
        let number = started
        let task = Task { [clock, queue, running, expired] in
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            queue.async {
                // One that was stopped or started again after it had fired is told apart by its number.
                let isDue = running.withLock { running in
                    guard running[timer]?.number == number else { return false }
                    running[timer] = nil
                    return true
                }
                if isDue { expired.withLock { $0 }(timer) }
            }
        }
        running.withLock { $0[timer] = Running(number: number, task: task) }
    }

    func stop(_ timer: PairingFlow.Timer) {
        running.withLock { $0.removeValue(forKey: timer) }?.task.cancel()
    }
}
