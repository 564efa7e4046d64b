import Dispatch
public import Foundation

/// The main run loop schedules through the main dispatch queue, and takes no notice of modes: on Linux that queue is served
/// in every program, by a main run loop that runs, by `dispatchMain()` and by an `async` main, while the last two leave
/// the run loop itself alone. Every other run loop must be running for its actions to run.
extension RunLoop: Scheduler {
    /// A moment by the calendar's clock.
    public typealias SchedulerTimeType = CalendarTime

    /// There is nothing to say.
    public struct SchedulerOptions: Sendable {}

    /// The current moment.
    public var now: SchedulerTimeType { CalendarTime(Date()) }
    /// None.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs `action` on the run loop's thread.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        if self === RunLoop.main { return DispatchQueue.main.schedule(action) }
        addTimer(at: Date(), interval: nil, tolerance: 0, action)
    }

    /// Runs `action` on the run loop's thread at `date`.
    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        if self === RunLoop.main {
            let queue = DispatchQueue.main
            return queue.schedule(after: queue.now.advanced(by: .seconds(date.date.timeIntervalSinceNow)), action)
        }
        addTimer(at: date.date, interval: nil, tolerance: tolerance.timeInterval, action)
    }

    /// Runs `action` on the run loop's thread at `date` and again every `interval`.
    /// - Returns: What stops it.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        if self === RunLoop.main {
            let queue = DispatchQueue.main
            return queue.schedule(
                after: queue.now.advanced(by: .seconds(date.date.timeIntervalSinceNow)),
                interval: .seconds(interval.timeInterval), tolerance: .seconds(tolerance.timeInterval), action)
        }
        // Timers may be stopped from any thread on Linux.
        let timer = Unchecked(
            addTimer(at: date.date, interval: interval.timeInterval, tolerance: tolerance.timeInterval, action))
        return AnyCancellable { timer.value.invalidate() }
    }

    @discardableResult
    private func addTimer(
        at date: Date, interval: TimeInterval?, tolerance: TimeInterval, _ action: @escaping () -> Void
    ) -> Timer {
        // The action is handed to the run loop and not touched here again.
        let action = Unchecked(action)
        let timer = Timer(fire: date, interval: interval ?? 0, repeats: interval != nil) { _ in action.value() }
        timer.tolerance = tolerance
        add(timer, forMode: .common)
        return timer
    }
}
