/// Where the offer and answer exchange stands (W3C WebRTC, chapter 4.3.1).
public enum RTCSignalingState: Int, Sendable {
    /// No exchange is running.
    case stable
    /// A local offer waits for its answer.
    case haveLocalOffer
    /// A local preliminary answer has been set.
    case haveLocalPrAnswer
    /// A remote offer waits for its answer.
    case haveRemoteOffer
    /// A remote preliminary answer has been set.
    case haveRemotePrAnswer
    /// The connection is closed.
    case closed

    init(engine number: Int) {
        // The engine's order: stable, closed, local offer, remote offer, local, remote preliminary answer.
        let order: [RTCSignalingState] = [
            .stable, .closed, .haveLocalOffer, .haveRemoteOffer, .haveLocalPrAnswer, .haveRemotePrAnswer,
        ]
        self = order.indices.contains(number) ? order[number] : .closed
    }
}

/// Whether the peer is reached (W3C WebRTC, chapter 5.6.4).
public enum RTCIceConnectionState: Int, Sendable {
    /// Nothing has been tried.
    case new
    /// Pairs of candidates are being tried.
    case checking
    /// A pair works.
    case connected
    /// A pair works and no other is being tried.
    case completed
    /// No pair works.
    case failed
    /// The pair has not answered for some seconds; this may pass.
    case disconnected
    /// The connection is closed.
    case closed
    /// The number of states.
    case count

    init(engine number: Int) {
        let order: [RTCIceConnectionState] = [.new, .checking, .connected, .completed, .failed, .disconnected, .closed]
        self = order.indices.contains(number) ? order[number] : .closed
    }
}

/// Whether the own candidates are known.
public enum RTCIceGatheringState: Int, Sendable {
    /// Not begun.
    case new
    /// Some may still come.
    case gathering
    /// All are known, and the local description holds them.
    case complete

    init(engine number: Int) { self = RTCIceGatheringState(rawValue: number) ?? .new }
}

/// The state of the whole connection: ICE and DTLS (W3C WebRTC, chapter 4.3.3).
public enum RTCPeerConnectionState: Int, Sendable {
    /// Nothing has been tried.
    case new
    /// Under way.
    case connecting
    /// Media and data can flow, and the peer's certificate is the one its description promised.
    case connected
    /// The peer has not answered for some seconds; this may pass.
    case disconnected
    /// It did not come about, or is lost: close it and make a new one.
    case failed
    /// Closed by this side.
    case closed

    init(engine number: Int) { self = RTCPeerConnectionState(rawValue: number) ?? .closed }
}
