internal import Basics

/// What a transceiver carries.
public enum RTCRtpMediaType: Int, Sendable {
    /// Sound.
    case audio
    /// Pictures.
    case video
    /// Data; not of transceivers.
    case data
    /// Anything else.
    case unsupported
}

/// Which way media goes, as this side sees it.
public enum RTCRtpTransceiverDirection: Int, Sendable {
    /// Both.
    case sendRecv
    /// Out only.
    case sendOnly
    /// In only.
    case recvOnly
    /// Neither, for now.
    case inactive
    /// Neither, for good.
    case stopped

    var sends: Bool { self == .sendRecv || self == .sendOnly }
    var receives: Bool { self == .sendRecv || self == .recvOnly }

    init(_ direction: SessionDescription.Direction) {
        switch direction {
        case .sendrecv: self = .sendRecv
        case .sendonly: self = .sendOnly
        case .recvonly: self = .recvOnly
        case .inactive: self = .inactive
        }
    }
}

/// How a transceiver is to be made. A class, as its model is: fill it in, then hand it over.
public final class RTCRtpTransceiverInit {
    /// Which way media goes.
    public var direction = RTCRtpTransceiverDirection.sendRecv
    /// The names of the streams that a sent track belongs to.
    public var streamIds: [String] = []

    /// Both ways, no stream.
    public init() {}
}

/// A group of tracks that belong together, known by its name only.
public final class RTCMediaStream: Sendable {
    /// The name.
    public let streamId: String
    /// The pictures in it.
    public let videoTracks: [RTCVideoTrack]

    init(streamId: String, videoTracks: [RTCVideoTrack]) {
        self.streamId = streamId
        self.videoTracks = videoTracks
    }
}

/// The sending half of a transceiver.
public final class RTCRtpSender: Sendable {
    /// A name for it, unique within the connection.
    public let senderId: String
    /// What is sent; `nil` for nothing.
    public let track: RTCMediaStreamTrack?
    /// The names of the streams that the track belongs to.
    public let streamIds: [String]

    init(senderId: String, track: RTCMediaStreamTrack?, streamIds: [String]) {
        self.senderId = senderId
        self.track = track
        self.streamIds = streamIds
    }
}

/// The receiving half of a transceiver.
public final class RTCRtpReceiver: Sendable {
    /// A name for it, unique within the connection.
    public let receiverId: String
    /// What is received. There from the beginning, so that renderers can be added before anything arrives.
    public let track: RTCMediaStreamTrack?

    init(receiverId: String, track: RTCMediaStreamTrack?) {
        self.receiverId = receiverId
        self.track = track
    }
}

/// A sender and a receiver that share one media section. Everything may be used from any thread: state is behind a lock.
public final class RTCRtpTransceiver: Sendable {
    struct State {
        var direction: RTCRtpTransceiverDirection
        var current: RTCRtpTransceiverDirection?
        var mid = ""
        var isStopped = false
        /// The index of its media section, once that is known.
        var line: Int?
        /// The engine's transceiver, and its pad when it sends.
        var engine: OwnedObject?
        var pad: Pad?
        var outgoing: OutgoingVideo?
        var incoming: IncomingVideo?
    }

    /// What it carries.
    public let mediaType: RTCRtpMediaType
    /// The sending half.
    public let sender: RTCRtpSender
    /// The receiving half.
    public let receiver: RTCRtpReceiver

    let state: Locked<State>
    /// The synchronisation source of what is sent.
    let ssrc = UInt32.random(in: 1...UInt32.max)

    init(
        _ mediaType: RTCRtpMediaType, direction: RTCRtpTransceiverDirection, sender: RTCRtpSender,
        receiver: RTCRtpReceiver
    ) {
        self.mediaType = mediaType
        self.sender = sender
        self.receiver = receiver
        state = Locked(State(direction: direction))
    }

    /// The name of its media section; empty before the negotiation.
    public var mid: String { state.withLock { $0.mid } }
    /// Which way media should go.
    public var direction: RTCRtpTransceiverDirection { state.withLock { $0.direction } }
    /// Which way media goes by the last negotiation; `nil` before it.
    public var currentDirection: RTCRtpTransceiverDirection? { state.withLock { $0.current } }
    /// Whether it will never carry anything again.
    public var isStopped: Bool { state.withLock { $0.isStopped } }

    /// The track that is sent, if it is one that can be.
    var outgoingTrack: RTCVideoTrack? { sender.track as? RTCVideoTrack }
    /// The track that is received, if it is video.
    var incomingTrack: RTCVideoTrack? { receiver.track as? RTCVideoTrack }

    /// Ends sending and receiving, and forgets what the engine gave.
    func stop() {
        let outgoing: OutgoingVideo? = state.withLock { state in
            defer { (state.outgoing, state.incoming, state.pad, state.engine) = (nil, nil, nil, nil) }
            state.isStopped = true
            (state.direction, state.current) = (.stopped, .stopped)
            return state.outgoing
        }
        outgoing?.close()
        receiver.track?.end()
    }
}
