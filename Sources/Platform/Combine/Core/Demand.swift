extension Subscribers {
    /// How many values a subscriber allows its publisher to send: a count from 0, or no limit.
    ///
    /// Adding to ``unlimited`` or subtracting from it leaves it as it is, except that `unlimited - unlimited` is also
    /// ``unlimited``. Counts too large to represent become ``unlimited``; a difference below zero becomes ``none``.
    public struct Demand: Equatable, Comparable, Hashable, Codable, Sendable, CustomStringConvertible {
        // `Int.max` stands for no limit; every other value is the count.
        private var count: Int

        private init(count: Int) { self.count = count }

        /// As many values as the publisher has.
        public static let unlimited = Demand(count: .max)
        /// No values for now.
        public static let none = Demand(count: 0)

        /// At most `value` values.
        /// - Precondition: `value` is not negative.
        public static func max(_ value: Int) -> Demand {
            precondition(value >= 0, "a demand cannot be negative: \(value)")
            return Demand(count: value)
        }

        /// The count, or nil when there is no limit.
        public var max: Int? { self == .unlimited ? nil : count }

        /// `unlimited` or `max(n)`.
        public var description: String { self == .unlimited ? "unlimited" : "max(\(count))" }

        /// Orders by count; ``unlimited`` is above every count.
        public static func < (left: Demand, right: Demand) -> Bool { left.count < right.count }

        /// The sum.
        public static func + (left: Demand, right: Demand) -> Demand {
            let (sum, overflow) = left.count.addingReportingOverflow(right.count)
            return overflow ? .unlimited : Demand(count: sum)
        }

        /// Adds in place.
        public static func += (left: inout Demand, right: Demand) { left = left + right }

        /// The sum with a count.
        public static func + (left: Demand, right: Int) -> Demand {
            right < 0 ? left - .max(-right) : left + .max(right)
        }

        /// Adds a count in place.
        public static func += (left: inout Demand, right: Int) { left = left + right }

        /// The demand, `right` times over.
        public static func * (left: Demand, right: Int) -> Demand {
            guard left != .unlimited else { return .unlimited }
            let (product, overflow) = left.count.multipliedReportingOverflow(by: right)
            return overflow ? .unlimited : .max(product)
        }

        /// Multiplies in place.
        public static func *= (left: inout Demand, right: Int) { left = left * right }

        /// The difference, at least ``none``.
        public static func - (left: Demand, right: Demand) -> Demand {
            guard left != .unlimited else { return .unlimited }
            return Demand(count: Swift.max(0, left.count - right.count))
        }

        /// Subtracts in place.
        public static func -= (left: inout Demand, right: Demand) { left = left - right }

        /// The difference with a count.
        public static func - (left: Demand, right: Int) -> Demand {
            right < 0 ? left + .max(-right) : left - .max(right)
        }

        /// Subtracts a count in place.
        public static func -= (left: inout Demand, right: Int) { left = left - right }

        /// Whether the demand is limited to exactly `right`.
        public static func == (left: Demand, right: Int) -> Bool { left.max == right }
        /// Whether the demand is unlimited or another count than `right`.
        public static func != (left: Demand, right: Int) -> Bool { left.max != right }
        /// Whether the demand is more than `right`.
        public static func > (left: Demand, right: Int) -> Bool { left == .unlimited || left.count > right }
        /// Whether the demand is `right` or more.
        public static func >= (left: Demand, right: Int) -> Bool { left == .unlimited || left.count >= right }
        /// Whether the demand is less than `right`.
        public static func < (left: Demand, right: Int) -> Bool { !(left >= right) }
        /// Whether the demand is `right` or less.
        public static func <= (left: Demand, right: Int) -> Bool { !(left > right) }
    }
}
