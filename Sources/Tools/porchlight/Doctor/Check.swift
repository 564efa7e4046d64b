import Dispatch

/// Looks at one part of the machine, and at nothing else.
///
/// What it touches of the system is a property of its own with the real thing as its usual value: a directory, the address
/// of a bus, a function. So each finding can be caused by a fake that lies below.
protocol Check: Sendable {
    /// The heading of its findings.
    var title: String { get }
    /// Begins the names of its findings.
    var area: String { get }
    /// Who needs what it looks at.
    var roles: Set<Role> { get }
    /// The longest it may take.
    var limit: Duration { get }
    /// Whether it needs the processor for itself: it begins when the others have ended, so that they keep their limits on a
    /// small board.
    var isHeavy: Bool { get }
    /// What to do when it takes longer.
    var remedyWhenLate: String { get }
    /// Looks. May be left alone half-way: it changes nothing.
    /// - Parameter roles: Those of ``roles`` that the person asks about.
    func findings(for roles: Set<Role>) async -> [Finding]
}

extension Check {
    var limit: Duration { .seconds(2) }
    var isHeavy: Bool { false }
    var remedyWhenLate: String { "Try again; if it stays so, look at the machine's load and at its disks." }

    /// Does what may block on a thread of its own: a task that is stuck in it can be left alone.
    static func apart<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { answer in
            DispatchQueue.global().async { answer.resume(returning: body()) }
        }
    }
}
