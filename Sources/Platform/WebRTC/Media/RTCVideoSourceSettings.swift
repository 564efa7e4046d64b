/// What a video source takes in, and how it is encoded.
public struct RTCVideoSourceSettings: Sendable, Equatable {
    /// Where pictures come from.
    public enum Capture: Sendable, Equatable, CustomStringConvertible {
        /// A V4L2 device, by its path: `/dev/video0`. Raw pictures and MJPEG are taken.
        case device(path: String)
        /// A moving test picture with a name and a running clock in it.
        case testPattern(name: String)

        /// The device's path, or the test picture's name.
        public var description: String {
            switch self {
            case .device(let path): path
            case .testPattern(let name): "the test picture \(name)"
            }
        }
    }

    /// Where pictures come from.
    public var capture: Capture
    /// In pixels, even, 16 to 4096.
    public var width = 1280
    /// In pixels, even, 16 to 4096.
    public var height = 720
    /// Frames each second, 1 to 120.
    public var framesPerSecond = 30
    /// In bits each second, 50,000 to 50,000,000.
    public var bitrate = 2_000_000
    /// The longest time without a key frame, 0.1 s to one hour.
    ///
    /// It may be long: a viewer that joins, and one that lost packets, gets a key frame at once.
    public var keyFrameInterval = Duration.seconds(10)

    /// 1280 × 720 at 30 frames and 2 Mbit a second, a key frame each 10 s.
    public init(capture: Capture) { self.capture = capture }

    /// Checks the ranges.
    /// - Throws: ``WebRTCError/invalidConfiguration(reason:)``.
    func check() throws(WebRTCError) {
        guard (16...4096).contains(width), (16...4096).contains(height), width % 2 == 0, height % 2 == 0 else {
            throw .invalidConfiguration(reason: "the size \(width)×\(height) is not even or not within 16 to 4096")
        }
        guard (1...120).contains(framesPerSecond) else {
            throw .invalidConfiguration(reason: "\(framesPerSecond) frames a second is not within 1 to 120")
        }
        guard (50_000...50_000_000).contains(bitrate) else {
            throw .invalidConfiguration(reason: "\(bitrate) bit/s is not within 50,000 to 50,000,000")
        }
        guard keyFrameInterval >= .milliseconds(100), keyFrameInterval <= .seconds(3600) else {
            throw .invalidConfiguration(reason: "the key-frame interval is not within 0.1 s to one hour")
        }
    }

    /// The key-frame interval in frames.
    var keyFrameDistance: Int {
        let (seconds, attoseconds) = keyFrameInterval.components
        return max(
            1, Int(Double(seconds) * Double(framesPerSecond) + Double(attoseconds) / 1e18 * Double(framesPerSecond)))
    }
}
