import Dispatch

/// Runs an actor on a serial dispatch queue, so that it may use objects which are bound to that queue.
final class QueueExecutor: SerialExecutor {
    /// The queue.
    let queue: DispatchQueue

    /// Makes the queue.
    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
