/// What a camera is asked for.
struct DeviceFormat: Sendable, Equatable {
    var coding: DeviceOffer.Coding
    var width: Int
    var height: Int
    var rate: DeviceOffer.Rate

    /// The format in GStreamer's notation.
    var caps: String {
        let kind =
            switch coding {
            case .raw(let format): "video/x-raw,format=\(format)"
            case .jpeg: "image/jpeg"
            case .h264: "video/x-h264"
            }
        return "\(kind),width=\(width),height=\(height),framerate=\(rate.numerator)/\(rate.denominator)"
    }

    /// Chooses what costs least among what is good enough.
    ///
    /// Good enough is a picture that need not be enlarged, at the wanted rate, of the wanted proportions; where a camera
    /// offers nothing of the kind, in this order, the next best. Then the smallest, and of one size raw before MJPEG before
    /// H.264: many cameras have the larger sizes at full rate as MJPEG only. What is left is scaled.
    /// - Returns: Nil without an offer.
    static func best(of offers: [DeviceOffer], width: Int, height: Int, rate: DeviceOffer.Rate) -> DeviceFormat? {
        let formats: [DeviceFormat] = offers.compactMap { offer in
            guard let best = offer.rates.best(for: rate) else { return nil }
            return DeviceFormat(
                coding: offer.coding, width: min(offer.width.upperBound, max(offer.width.lowerBound, width)),
                height: min(offer.height.upperBound, max(offer.height.lowerBound, height)), rate: best)
        }
        func cost(_ format: DeviceFormat) -> [Int] {
            let isLargeEnough = format.width >= width && format.height >= height
            let isFastEnough = format.rate >= rate
            // Within 2 %, since 1366 × 768 and the like are meant to be 16 to 9.
            let (across, down) = (format.width * height, format.height * width)
            let isProportional = abs(across - down) * 50 <= max(across, down)
            let area = format.width * format.height
            return [
                isLargeEnough ? 0 : 1, isFastEnough ? 0 : 1, isProportional ? 0 : 1, isLargeEnough ? area : -area,
                format.coding.cost, format.rate.numerator * 1000 / format.rate.denominator * (isFastEnough ? 1 : -1),
            ]
        }
        return formats.min { cost($0).lexicographicallyPrecedes(cost($1)) }
    }
}

extension DeviceOffer.Coding {
    /// What it takes to make I420 of it, in no unit.
    fileprivate var cost: Int {
        switch self {
        case .raw("I420"), .raw("YV12"): 0
        case .raw("NV12"), .raw("NV21"): 1
        case .raw("YUY2"), .raw("UYVY"), .raw("YVYU"), .raw("VYUY"), .raw("Y42B"): 2
        case .raw: 3
        case .jpeg: 4
        case .h264: 5
        }
    }
}
