public import Foundation

extension Timer {
    /// A publisher of the current date, again and again, once connected.
    ///
    /// - Parameters:
    ///   - interval: Seconds between two values.
    ///   - tolerance: How late a value may be, in seconds.
    ///   - runLoop: Where the values are sent. The main run loop needs not run: see `RunLoop`'s scheduler.
    ///   - mode: The run loop's mode. Timers here are for all common modes.
    public static func publish(
        every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode,
        options: RunLoop.SchedulerOptions? = nil
    ) -> TimerPublisher {
        TimerPublisher(interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options)
    }

    /// Publishes the current date at an interval, once connected. A subscriber without demand misses the value.
    public final class TimerPublisher: ConnectablePublisher {
        /// A date.
        public typealias Output = Date
        /// Nothing can fail here.
        public typealias Failure = Never

        /// Seconds between two values.
        public let interval: TimeInterval
        /// How late a value may be, in seconds.
        public let tolerance: TimeInterval?
        /// Where the values are sent.
        public let runLoop: RunLoop
        /// The run loop's mode.
        public let mode: RunLoop.Mode
        /// How the timer is scheduled.
        public let options: RunLoop.SchedulerOptions?

        private let audience = Audience<Date, Never>()

        /// Publishes every `interval` seconds.
        public init(
            interval: TimeInterval, tolerance: TimeInterval? = nil, runLoop: RunLoop, mode: RunLoop.Mode,
            options: RunLoop.SchedulerOptions? = nil
        ) {
            self.interval = interval
            self.tolerance = tolerance
            self.runLoop = runLoop
            self.mode = mode
            self.options = options
        }

        /// Attaches `subscriber`.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Date, S.Failure == Never {
            audience.join(subscriber)
        }

        /// Starts the timer; the first value comes after one interval.
        /// - Returns: What stops it.
        public func connect() -> any Cancellable {
            runLoop.schedule(
                after: runLoop.now.advanced(by: .seconds(interval)), interval: .seconds(interval),
                tolerance: .seconds(tolerance ?? 0), options: options
            ) { [audience] in audience.send(Date()) }
        }
    }
}
