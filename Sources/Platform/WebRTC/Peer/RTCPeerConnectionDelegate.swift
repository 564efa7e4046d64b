/// Hears of what happens to a connection.
///
/// Called on the connection's own serial queue, in the order of events. Every method has an empty default.
public protocol RTCPeerConnectionDelegate: AnyObject {
    /// The exchange of offer and answer has moved on.
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange stateChanged: RTCSignalingState)
    /// Whether the peer is reached has changed.
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCIceConnectionState)
    /// Gathering of own candidates has begun or ended.
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCIceGatheringState)
    /// The connection as a whole has changed.
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCPeerConnectionState)
    /// An own candidate is known, to be sent to the peer by who trickles.
    func peerConnection(_ peerConnection: RTCPeerConnection, didGenerate candidate: RTCIceCandidate)
    /// The peer has opened a channel, and it is open here too.
    func peerConnection(_ peerConnection: RTCPeerConnection, didOpen dataChannel: RTCDataChannel)
    /// The peer's description announces media that this receiver will bring.
    func peerConnection(
        _ peerConnection: RTCPeerConnection, didAdd rtpReceiver: RTCRtpReceiver, streams mediaStreams: [RTCMediaStream])
    /// The first packet of a transceiver's media has arrived.
    func peerConnection(_ peerConnection: RTCPeerConnection, didStartReceivingOn transceiver: RTCRtpTransceiver)
    /// A transceiver, track or channel was added, and an offer is due.
    func peerConnectionShouldNegotiate(_ peerConnection: RTCPeerConnection)
}

extension RTCPeerConnectionDelegate {
    /// Does nothing.
    public func peerConnection(_ peerConnection: RTCPeerConnection, didChange stateChanged: RTCSignalingState) {}
    /// Does nothing.
    public func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCIceConnectionState) {}
    /// Does nothing.
    public func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCIceGatheringState) {}
    /// Does nothing.
    public func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCPeerConnectionState) {}
    /// Does nothing.
    public func peerConnection(_ peerConnection: RTCPeerConnection, didGenerate candidate: RTCIceCandidate) {}
    /// Does nothing.
    public func peerConnection(_ peerConnection: RTCPeerConnection, didOpen dataChannel: RTCDataChannel) {}
    /// Does nothing.
    public func peerConnection(
        _ peerConnection: RTCPeerConnection, didAdd rtpReceiver: RTCRtpReceiver, streams mediaStreams: [RTCMediaStream]
    ) {}
    /// Does nothing.
    public func peerConnection(
        _ peerConnection: RTCPeerConnection, didStartReceivingOn transceiver: RTCRtpTransceiver
    ) {}
    /// Does nothing.
    public func peerConnectionShouldNegotiate(_ peerConnection: RTCPeerConnection) {}
}
