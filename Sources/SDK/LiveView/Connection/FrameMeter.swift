import Basics

/// When the newest frame of an attempt came. Thread-safe: one lock.
final class FrameMeter: Sendable {
    private let last = Locked<Duration?>(nil)

    /// When the newest frame came; nil before the first.
    var lastFrame: Duration? { last.withLock { $0 } }

    /// Notes a frame.
    /// - Returns: Whether it is the first.
    func note(at time: Duration) -> Bool {
        last.withLock { last in
            defer { last = time }
            return last == nil
        }
    }
}
