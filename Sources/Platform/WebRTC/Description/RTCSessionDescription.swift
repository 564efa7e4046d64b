/// What a session description is for (RFC 8829, chapter 4.1.8).
public enum RTCSdpType: Int, Sendable {
    /// The first description of a negotiation.
    case offer
    /// A preliminary answer; refused by this module.
    case prAnswer
    /// The description that ends a negotiation.
    case answer
    /// Back to the state before the offer; refused by this module.
    case rollback
}

/// An offer or an answer in the text form of SDP (RFC 8866).
///
/// A value holder without opinion: the text is read and judged when it is given to a connection. ``validate()`` judges it
/// without one.
public final class RTCSessionDescription: Sendable, CustomStringConvertible {
    /// What the description is for.
    public let type: RTCSdpType
    /// The text, lines ended by CR LF.
    public let sdp: String

    /// Holds a description as it came.
    public init(type: RTCSdpType, sdp: String) {
        self.type = type
        self.sdp = sdp
    }

    /// Judges the description as ``RTCPeerConnection/setRemoteDescription(_:)`` would, before any connection exists.
    ///
    /// Total: any text gives an error or passes, in time proportional to its length. What passes cannot make the media
    /// engine abort.
    /// - Throws: ``WebRTCError/unacceptableDescription(reason:)`` with the first thing that is wrong.
    public func validate() throws(WebRTCError) {
        let description = try SessionDescription(parsing: sdp)
        switch type {
        case .offer: try description.checkOffer()
        case .answer: try description.checkAnswer()
        case .prAnswer, .rollback: throw .unacceptableDescription(reason: "only offers and answers are taken")
        }
    }

    /// The type and the text's length. The text holds addresses and ICE passwords, and stays out of logs.
    public var description: String { "\(type) of \(sdp.utf8.count) bytes" }
}
