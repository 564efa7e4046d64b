public import Foundation

/// A moment and its lengths of time, by the calendar's clock: the time type of `RunLoop` and `OperationQueue`.
public struct CalendarTime: Strideable, Codable, Hashable, Sendable {
    /// The moment.
    public var date: Date

    /// The moment `date`.
    public init(_ date: Date) { self.date = date }

    /// The time from here to `other`.
    public func distance(to other: CalendarTime) -> Stride { Stride(other.date.timeIntervalSince(date)) }

    /// The moment `n` later.
    public func advanced(by n: Stride) -> CalendarTime { CalendarTime(date.addingTimeInterval(n.timeInterval)) }

    /// A length of time in seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Hashable, Codable, Sendable
    {
        /// The length in seconds.
        public var magnitude: TimeInterval

        /// The length in seconds.
        public var timeInterval: TimeInterval { magnitude }

        /// A length of `timeInterval` seconds.
        public init(_ timeInterval: TimeInterval) { magnitude = timeInterval }
        /// A length of `value` seconds.
        public init(floatLiteral value: TimeInterval) { magnitude = value }
        /// A length of `value` seconds.
        public init(integerLiteral value: TimeInterval) { magnitude = value }
        /// A length of `source` seconds, if it can be represented.
        public init?<T: BinaryInteger>(exactly source: T) {
            guard let value = TimeInterval(exactly: source) else { return nil }
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

        /// So many seconds.
        public static func seconds(_ s: Int) -> Stride { Stride(TimeInterval(s)) }
        /// So many seconds.
        public static func seconds(_ s: Double) -> Stride { Stride(s) }
        /// So many thousandths of a second.
        public static func milliseconds(_ ms: Int) -> Stride { Stride(TimeInterval(ms) / 1e3) }
        /// So many millionths of a second.
        public static func microseconds(_ us: Int) -> Stride { Stride(TimeInterval(us) / 1e6) }
        /// So many billionths of a second.
        public static func nanoseconds(_ ns: Int) -> Stride { Stride(TimeInterval(ns) / 1e9) }
    }
}
