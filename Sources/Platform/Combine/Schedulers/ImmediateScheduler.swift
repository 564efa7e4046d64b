/// A scheduler that runs actions at once, on the caller's thread, and knows no time.
public struct ImmediateScheduler: Scheduler, Sendable {
    /// A moment; there is only one.
    public struct SchedulerTimeType: Strideable, Sendable {
        /// A length of time, which passes at once.
        public struct Stride: Comparable, SignedNumeric, ExpressibleByFloatLiteral, SchedulerTimeIntervalConvertible,
            Sendable
        {
            /// The length.
            public var magnitude: Int

            /// A length of `value`.
            public init(_ value: Int) { magnitude = value }
            /// A length of `value`.
            public init(integerLiteral value: Int) { magnitude = value }
            /// A length of `value`, rounded towards zero.
            public init(floatLiteral value: Double) { magnitude = Int(value) }
            /// A length of `source`, if it can be represented.
            public init?<T: BinaryInteger>(exactly source: T) {
                guard let value = Int(exactly: source) else { return nil }
                magnitude = value
            }

            /// Orders by length.
            public static func < (left: Stride, right: Stride) -> Bool { left.magnitude < right.magnitude }
            /// The sum.
            public static func + (left: Stride, right: Stride) -> Stride { Stride(left.magnitude + right.magnitude) }
            /// The difference.
            public static func - (left: Stride, right: Stride) -> Stride { Stride(left.magnitude - right.magnitude) }
            /// The product.
            public static func * (left: Stride, right: Stride) -> Stride { Stride(left.magnitude * right.magnitude) }
            /// Adds in place.
            public static func += (left: inout Stride, right: Stride) { left = left + right }
            /// Subtracts in place.
            public static func -= (left: inout Stride, right: Stride) { left = left - right }
            /// Multiplies in place.
            public static func *= (left: inout Stride, right: Stride) { left = left * right }

            /// No time.
            public static func seconds(_ s: Int) -> Stride { 0 }
            /// No time.
            public static func seconds(_ s: Double) -> Stride { 0 }
            /// No time.
            public static func milliseconds(_ ms: Int) -> Stride { 0 }
            /// No time.
            public static func microseconds(_ us: Int) -> Stride { 0 }
            /// No time.
            public static func nanoseconds(_ ns: Int) -> Stride { 0 }
        }

        /// No time.
        public func distance(to other: SchedulerTimeType) -> Stride { 0 }
        /// The same moment.
        public func advanced(by n: Stride) -> SchedulerTimeType { self }
    }

    /// There are no options.
    public typealias SchedulerOptions = Never

    /// The immediate scheduler.
    public static let shared = ImmediateScheduler()

    /// The only moment.
    public var now: SchedulerTimeType { SchedulerTimeType() }
    /// None.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs `action` before returning.
    public func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

    /// Runs `action` before returning.
    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) {
        action()
    }

    /// Runs `action` once, before returning.
    /// - Returns: A token without effect.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: Never?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        action()
        return Subscriptions.empty
    }
}
