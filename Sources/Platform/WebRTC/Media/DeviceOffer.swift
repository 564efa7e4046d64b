/// One of the forms in which a camera offers pictures. A pure value.
struct DeviceOffer: Sendable, Equatable {
    /// How pictures are coded.
    enum Coding: Sendable, Equatable {
        /// Not at all; GStreamer's name of the layout, such as `YUY2`.
        case raw(format: String)
        /// Each by itself, MJPEG.
        case jpeg
        case h264
    }

    /// Frames a second.
    struct Rate: Sendable, Equatable, Comparable {
        var numerator: Int
        /// At least 1.
        var denominator: Int

        /// Whole frames.
        init(_ numerator: Int, _ denominator: Int = 1) { (self.numerator, self.denominator) = (numerator, denominator) }

        static func < (left: Rate, right: Rate) -> Bool {
            left.numerator * right.denominator < right.numerator * left.denominator
        }
    }

    /// Rates that a camera offers.
    enum Rates: Sendable, Equatable {
        case some([Rate])
        case between(Rate, Rate)

        /// The lowest that is enough, else the highest; nil where there is none.
        func best(for wanted: Rate) -> Rate? {
            switch self {
            case .some(let rates): rates.filter { $0 >= wanted }.min() ?? rates.max()
            case .between(let lowest, let highest): min(highest, max(lowest, wanted))
            }
        }
    }

    /// A camera's lengths: a range for one that scales by itself, else of one value.
    typealias Length = ClosedRange<Int>

    var coding: Coding
    var width: Length
    var height: Length
    var rates: Rates
}
