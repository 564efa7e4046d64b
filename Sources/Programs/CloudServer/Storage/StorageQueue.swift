import Dispatch

/// Runs an actor's work on a thread of its own queue, so that waiting for a disk holds up nobody else.
///
/// `DispatchSerialQueue`, which does this elsewhere, is not there on Linux.
final class StorageQueue: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
