public import Dispatch

/// The turns of a serial queue, and the work that waits for the end of one.
///
/// A turn is what somebody does on the queue who has been woken by the outside, such as a bus connection: the work that it
/// leads to, handed over with ``async(_:)`` meanwhile, is carried out at its end, on the thread that is there. Handed to
/// the queue itself it would take a change of threads for each, which costs more than most such work. Between turns
/// ``async(_:)`` is the queue's own.
///
/// Work is carried out in the order in which it was handed over, from whatever thread. Safe from any thread; state is in
/// one lock, and work is done after it is released. Known to the queue for as long as somebody holds it.
public final class Turns: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        /// Whether a turn is under way or on its way, which will see to the work.
        var isAttended = false
    }

    private struct Reference: Sendable { weak var turns: Turns? }
    private static let key = DispatchSpecificKey<Reference>()
    /// How often a turn looks for more work before others on the queue get their chance.
    private static let patience = 16

    private let queue: DispatchQueue
    private let state = Locked(State())

    /// Makes the turns of a serial queue, which has none yet.
    public init(of queue: DispatchQueue) {
        self.queue = queue
        queue.setSpecific(key: Self.key, value: Reference(turns: self))
    }

    /// The turns of a queue, if somebody has made and holds them.
    public static func of(_ queue: DispatchQueue) -> Turns? { queue.getSpecific(key: key)?.turns }

    /// Carries `work` out on the queue, after what was handed over before.
    public func async(_ work: @escaping @Sendable () -> Void) {
        let isAttended = state.withLock { state in
            defer { state.isAttended = true }
            state.work.append(work)
            return state.isAttended
        }
        if !isAttended { queue.async { self.take {} } }
    }

    /// Does `body`, then the work that has been handed over. To be called on the queue.
    public func take(_ body: () -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        state.withLock { $0.isAttended = true }
        body()
        for _ in 0..<Self.patience {
            let work = state.withLock { state in
                defer { state.work = [] }
                state.isAttended = !state.work.isEmpty
                return state.work
            }
            guard !work.isEmpty else { return }
            for piece in work { piece() }
        }
        queue.async { self.take {} }
    }
}
