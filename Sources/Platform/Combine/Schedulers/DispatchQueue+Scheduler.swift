public import Dispatch

extension DispatchQueue: Scheduler {
    /// A moment on the queue's clock.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
        /// The moment.
        public var dispatchTime: DispatchTime

        /// The moment `time`.
        public init(_ time: DispatchTime) { dispatchTime = time }

        /// Reads nanoseconds since start-up.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self.init(DispatchTime(uptimeNanoseconds: try container.decode(UInt64.self)))
        }

        /// Writes nanoseconds since start-up.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(dispatchTime.uptimeNanoseconds)
        }

        /// The time from here to `other`.
        public func distance(to other: SchedulerTimeType) -> Stride {
            let (here, there) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
            return there >= here
                ? Stride(nanoseconds: Int(clamping: there - here)) : Stride(nanoseconds: -Int(clamping: here - there))
        }

        /// The moment `n` later.
        public func advanced(by n: Stride) -> SchedulerTimeType {
            SchedulerTimeType(dispatchTime + n.timeInterval)
        }

        /// Hashes the moment.
        public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.rawValue) }

        /// A length of time in nanoseconds.
        public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
            Hashable, Codable, Sendable
        {
            /// The length in nanoseconds.
            public var magnitude: Int

            /// The length as Dispatch has it.
            public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

            fileprivate init(nanoseconds: Int) { magnitude = nanoseconds }

            /// A length of `timeInterval`; `never` is the longest there is.
            public init(_ timeInterval: DispatchTimeInterval) {
                switch timeInterval {
                case .seconds(let count): self = .seconds(count)
                case .milliseconds(let count): self = .milliseconds(count)
                case .microseconds(let count): self = .microseconds(count)
                case .nanoseconds(let count): self = .nanoseconds(count)
                default: self = .nanoseconds(.max)
                }
            }

            /// A length of `value` seconds.
            public init(floatLiteral value: Double) { self = .seconds(value) }
            /// A length of `value` seconds.
            public init(integerLiteral value: Int) { self = .seconds(value) }
            /// A length of `source` nanoseconds, if it can be represented.
            public init?<T: BinaryInteger>(exactly source: T) {
                guard let value = Int(exactly: source) else { return nil }
                magnitude = value
            }

            /// Orders by length.
            public static func < (left: Stride, right: Stride) -> Bool { left.magnitude < right.magnitude }
            /// The sum.
            public static func + (left: Stride, right: Stride) -> Stride {
                Stride(nanoseconds: left.magnitude + right.magnitude)
            }
            /// The difference.
            public static func - (left: Stride, right: Stride) -> Stride {
                Stride(nanoseconds: left.magnitude - right.magnitude)
            }
            /// The product of the seconds.
            public static func * (left: Stride, right: Stride) -> Stride {
                .seconds(Double(left.magnitude) / 1e9 * Double(right.magnitude) / 1e9)
            }
            /// Adds in place.
            public static func += (left: inout Stride, right: Stride) { left = left + right }
            /// Subtracts in place.
            public static func -= (left: inout Stride, right: Stride) { left = left - right }
            /// Multiplies in place.
            public static func *= (left: inout Stride, right: Stride) { left = left * right }

            /// So many seconds.
            public static func seconds(_ s: Double) -> Stride { Stride(nanoseconds: Int(saturating: s * 1e9)) }
            /// So many seconds.
            public static func seconds(_ s: Int) -> Stride { scaled(s, by: 1_000_000_000) }
            /// So many thousandths of a second.
            public static func milliseconds(_ ms: Int) -> Stride { scaled(ms, by: 1_000_000) }
            /// So many millionths of a second.
            public static func microseconds(_ us: Int) -> Stride { scaled(us, by: 1_000) }
            /// So many billionths of a second.
            public static func nanoseconds(_ ns: Int) -> Stride { Stride(nanoseconds: ns) }

            private static func scaled(_ count: Int, by factor: Int) -> Stride {
                let (product, overflow) = count.multipliedReportingOverflow(by: factor)
                return Stride(nanoseconds: overflow ? (count < 0 ? .min : .max) : product)
            }
        }
    }

    /// How an action runs on the queue.
    public struct SchedulerOptions {
        /// The quality of service.
        public var qos: DispatchQoS
        /// Further flags, such as `barrier`.
        public var flags: DispatchWorkItemFlags
        /// A group that the action belongs to.
        public var group: DispatchGroup?

        /// Options for an action.
        public init(
            qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil
        ) {
            self.qos = qos
            self.flags = flags
            self.group = group
        }
    }

    /// The current moment.
    public var now: SchedulerTimeType { SchedulerTimeType(.now()) }
    /// None.
    public var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(0) }

    /// Runs `action` on the queue.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        // The action is handed to the queue and not touched here again.
        let action = Unchecked(action)
        async(group: options?.group, qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) { action.value() }
    }

    /// Runs `action` on the queue at `date`.
    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        // The action is handed to the queue and not touched here again.
        let action = Unchecked(action)
        let group = options?.group
        group?.enter()
        asyncAfter(
            deadline: date.dispatchTime, qos: options?.qos ?? .unspecified, flags: options?.flags ?? []
        ) {
            action.value()
            group?.leave()
        }
    }

    /// Runs `action` on the queue at `date` and again every `interval`.
    /// - Returns: What stops it.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        let source = DispatchSource.makeTimerSource(queue: self)
        source.schedule(
            deadline: date.dispatchTime, repeating: interval.timeInterval, leeway: tolerance.timeInterval)
        // The action is handed to the queue and not touched here again.
        let action = Unchecked(action)
        source.setEventHandler(qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) { action.value() }
        source.resume()
        return AnyCancellable {
            source.setEventHandler(handler: nil)
            source.cancel()
        }
    }
}

extension Int {
    /// The number without its fraction, or the nearest there is.
    fileprivate init(saturating value: Double) {
        self = value.isNaN ? 0 : value >= 0x1p63 ? .max : value < -0x1p63 ? .min : Int(value)
    }
}
