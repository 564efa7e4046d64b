import Dispatch
public import Foundation

extension OperationQueue: Scheduler {
    /// A moment by the calendar's clock.
    public typealias SchedulerTimeType = CalendarTime

    /// There is nothing to say.
    public struct SchedulerOptions: Sendable {}

    /// The current moment.
    public var now: SchedulerTimeType { CalendarTime(Date()) }
    /// None.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs `action` as an operation.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        // The action is handed to the queue and not touched here again.
        let action = Unchecked(action)
        addOperation { action.value() }
    }

    /// Runs `action` as an operation that is added at `date`.
    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        let clock = DispatchQueue.global()
        clock.schedule(after: clock.now.advanced(by: .seconds(date.date.timeIntervalSinceNow))) {
            self.schedule(options: options, action)
        }
    }

    /// Runs `action` as an operation that is added at `date` and again every `interval`.
    /// - Returns: What stops it.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        let clock = DispatchQueue.global()
        let isStopped = Guarded(false)
        let timer = clock.schedule(
            after: clock.now.advanced(by: .seconds(date.date.timeIntervalSinceNow)),
            interval: .seconds(interval.timeInterval), tolerance: .seconds(tolerance.timeInterval)
        ) {
            self.schedule(options: options) {
                if !isStopped.withLock({ $0 }) { action() }
            }
        }
        return AnyCancellable {
            isStopped.withLock { $0 = true }
            timer.cancel()
        }
    }
}
