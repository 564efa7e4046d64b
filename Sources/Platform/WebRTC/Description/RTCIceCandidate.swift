/// One address at which a peer may be reached (RFC 8839).
public final class RTCIceCandidate: Sendable, Equatable, CustomStringConvertible {
    /// The text after `a=`, beginning with `candidate:`. Empty says that there are no more.
    public let sdp: String
    /// The index of the media section that the candidate belongs to, from 0.
    public let sdpMLineIndex: Int32
    /// The name of that media section, where it is known.
    public let sdpMid: String?

    /// Holds a candidate as it came.
    public init(sdp: String, sdpMLineIndex: Int32, sdpMid: String?) {
        self.sdp = sdp
        self.sdpMLineIndex = sdpMLineIndex
        self.sdpMid = sdpMid
    }

    /// The candidate's text.
    public var description: String { sdp }

    /// Compares text and section.
    public static func == (left: RTCIceCandidate, right: RTCIceCandidate) -> Bool {
        left.sdp == right.sdp && left.sdpMLineIndex == right.sdpMLineIndex && left.sdpMid == right.sdpMid
    }
}
