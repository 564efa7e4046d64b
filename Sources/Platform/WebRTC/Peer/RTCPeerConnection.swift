internal import Basics
import Dispatch
import Foundation

/// A connection to one peer: media, data channels, and the negotiation of both.
///
/// Everything may be called from any thread. State is behind one lock; the steps of the negotiation run one after the
/// other in the order of the calls; the delegate is called on the connection's own serial queue. One negotiation for each
/// connection: the media engine knows neither renegotiation nor ICE restart, so a change means a new connection.
///
/// The usual way is not to trickle: set the local description, wait for ``iceGatheringCompleted()``, and send
/// ``localDescription``, which then holds all candidates.
///
/// A peer that closes its connection properly is missed at once when there is a data channel; one that vanishes without a
/// word after 50 s at most, when ``connectionState`` becomes ``RTCPeerConnectionState/failed``.
public final class RTCPeerConnection: @unchecked Sendable {
    // Unchecked because of the delegate, which is not Sendable: it is read and written under the lock and called on
    // `queue` only, as its documentation promises it.
    struct State {
        weak var delegate: (any RTCPeerConnectionDelegate)?
        var signaling = RTCSignalingState.stable
        var iceConnection = RTCIceConnectionState.new
        var gathering = RTCIceGatheringState.new
        var connection = RTCPeerConnectionState.new
        var failure: WebRTCError?
        var isClosed = false

        var transceivers: [RTCRtpTransceiver] = []
        var channels: [RTCDataChannel] = []
        /// Channels that the peer opened, until they are open here, by the engine's address.
        var prepared: [UInt: RTCDataChannel] = [:]

        /// The description made last, the only one that can be set locally.
        var created: RTCSessionDescription?
        var localType = RTCSdpType.offer
        var local: SessionDescription?
        var remote: SessionDescription?
        var remoteDescription: RTCSessionDescription?
        /// The payload types chosen of a remote offer, by section.
        var chosen: [Int: SessionDescription.Codec] = [:]

        var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
        var nextWaiter = 0
    }

    let state = Locked(State())
    let bin: WebRTCBin
    let queue = DispatchQueue(label: "porchlight.webrtc.peer")
    let operations = OperationChain()
    let trust = PeerTrust()

    init(_ configuration: RTCConfiguration, delegate: (any RTCPeerConnectionDelegate)?) throws(WebRTCError) {
        let relay = EventRelay()
        bin = try WebRTCBin(configuration) { relay.forward($0) }
        let holder = Unchecked(delegate)
        state.withLock { $0.delegate = holder.value }
        relay.connect(to: self)
    }

    /// Closes the connection.
    deinit {
        let (bin, queue, trust) = (bin, queue, trust)
        let (transceivers, channels) = state.withLock { ($0.transceivers, $0.channels + $0.prepared.values) }
        // On the queue: the last reference may go away on one of the engine's threads, which cannot wait for itself.
        queue.async { Self.tearDown(bin, trust, transceivers, channels) }
    }

    // MARK: - State

    /// Who hears of events. Not held.
    public var delegate: (any RTCPeerConnectionDelegate)? {
        get { state.withLock { Unchecked($0.delegate) }.value }
        set {
            let holder = Unchecked(newValue)
            state.withLock { $0.delegate = holder.value }
        }
    }

    /// Where the offer and answer exchange stands.
    public var signalingState: RTCSignalingState { state.withLock { $0.signaling } }
    /// Whether the peer is reached.
    public var iceConnectionState: RTCIceConnectionState { state.withLock { $0.iceConnection } }
    /// Whether the own candidates are known.
    public var iceGatheringState: RTCIceGatheringState { state.withLock { $0.gathering } }
    /// The state of the whole.
    public var connectionState: RTCPeerConnectionState { state.withLock { $0.connection } }
    /// Why ``connectionState`` is ``RTCPeerConnectionState/failed``, where more is known than that the peer is not
    /// reached.
    public var failure: WebRTCError? { state.withLock { $0.failure } }

    /// The own description, with the candidates known by now: all of them once gathering is complete.
    public var localDescription: RTCSessionDescription? {
        let (type, isSet) = state.withLock { ($0.localType, $0.local != nil && !$0.isClosed) }
        guard isSet, let text = bin.localDescription else { return nil }
        return RTCSessionDescription(type: type, sdp: text)
    }

    /// The peer's description, as it was given.
    public var remoteDescription: RTCSessionDescription? { state.withLock { $0.remoteDescription } }

    /// The transceivers, in the order in which they were added or offered.
    public var transceivers: [RTCRtpTransceiver] { state.withLock { $0.transceivers } }
    /// The senders of all transceivers.
    public var senders: [RTCRtpSender] { transceivers.map(\.sender) }
    /// The receivers of all transceivers.
    public var receivers: [RTCRtpReceiver] { transceivers.map(\.receiver) }

    /// Waits until the own candidates are all known, some milliseconds after the local description was set; a STUN server
    /// that does not answer makes it seconds.
    /// - Throws: ``WebRTCError/closed``, or `CancellationError` when the task is cancelled.
    public func iceGatheringCompleted() async throws {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if state.isClosed { return .failure(WebRTCError.closed) }
                    if state.gathering == .complete { return .success(()) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    // MARK: - Media and data

    /// Sends `track`, which must have a source of this process.
    /// - Parameter streamIds: The names of the streams that the peer is told the track belongs to.
    /// - Returns: The sender; `nil` when the track cannot be sent or the connection is closed or negotiated.
    @discardableResult
    public func add(_ track: RTCMediaStreamTrack, streamIds: [String]) -> RTCRtpSender? {
        let options = RTCRtpTransceiverInit()
        options.streamIds = streamIds
        return addTransceiver(with: track, init: options)?.sender
    }

    /// Adds a transceiver that carries what `track` has, in the direction that `init` says.
    /// - Returns: The transceiver; `nil` when the track cannot be sent or the connection is closed or negotiated.
    @discardableResult
    public func addTransceiver(
        with track: RTCMediaStreamTrack, init options: RTCRtpTransceiverInit = RTCRtpTransceiverInit()
    ) -> RTCRtpTransceiver? {
        guard let video = track as? RTCVideoTrack, video.source != nil else { return nil }
        return append(Self.makeTransceiver(options.direction, sending: video, options.streamIds))
    }

    /// Adds a transceiver that sends nothing.
    /// - Returns: The transceiver; `nil` for any kind but video, and when the connection is closed or negotiated.
    @discardableResult
    public func addTransceiver(
        of mediaType: RTCRtpMediaType, init options: RTCRtpTransceiverInit = RTCRtpTransceiverInit()
    ) -> RTCRtpTransceiver? {
        guard mediaType == .video else { return nil }
        return append(Self.makeTransceiver(options.direction, sending: nil, options.streamIds))
    }

    static func makeTransceiver(
        _ direction: RTCRtpTransceiverDirection, sending track: RTCVideoTrack?, _ streamIds: [String]
    ) -> RTCRtpTransceiver {
        RTCRtpTransceiver(
            .video, direction: direction,
            sender: RTCRtpSender(senderId: UUID().uuidString, track: track, streamIds: streamIds),
            receiver: RTCRtpReceiver(
                receiverId: UUID().uuidString, track: RTCVideoTrack(source: nil, trackId: UUID().uuidString)))
    }

    private func append(_ transceiver: RTCRtpTransceiver) -> RTCRtpTransceiver? {
        let isTaken = state.withLock { state in
            guard !state.isClosed, state.local == nil else { return false }
            state.transceivers.append(transceiver)
            return true
        }
        guard isTaken else { return nil }
        notify { $0.peerConnectionShouldNegotiate($1) }
        return transceiver
    }

    /// Makes a data channel. Before the offer, so that the offer has a section for it.
    /// - Returns: The channel, not open yet; `nil` when the connection is closed or the configuration impossible.
    public func dataChannel(
        forLabel label: String, configuration: RTCDataChannelConfiguration = RTCDataChannelConfiguration()
    ) -> RTCDataChannel? {
        guard !state.withLock({ $0.isClosed }), label.utf8.count <= 65_535, !label.utf8.contains(0),
            configuration.protocol.utf8.count <= 65_535, !configuration.protocol.utf8.contains(0),
            configuration.maxPacketLifeTime < 0 || configuration.maxRetransmits < 0,
            !configuration.isNegotiated || (0..<65_535).contains(configuration.channelId),
            let engine = bin.makeChannel(label, configuration)
        else { return nil }
        let channel = RTCDataChannel(engine, of: bin, trust: trust, queue: queue)
        state.withLock { $0.channels.append(channel) }
        notify { $0.peerConnectionShouldNegotiate($1) }
        return channel
    }

    /// What the connection knows of its own working.
    public func statistics() async -> RTCStatisticsReport {
        // A closed connection has nothing to report, which is an empty report, as with the model.
        let fields = try? await bin.statistics()
        return RTCStatisticsReport(engine: fields ?? [:])
    }

    /// What the connection knows of its own working, handed over on the connection's queue.
    public func statistics(completionHandler: @escaping @Sendable (RTCStatisticsReport) -> Void) {
        Task {
            let report = await statistics()
            queue.async { completionHandler(report) }
        }
    }

    // MARK: - Closing

    /// Closes the connection for good: tracks and channels end, and sockets and threads go away soon after.
    /// ``closed()`` waits for that. As with the model, the delegate is not told.
    public func close() {
        guard let (transceivers, channels, waiters) = shut(failure: nil) else { return }
        queue.async { [bin, trust] in Self.tearDown(bin, trust, transceivers, channels) }
        for waiter in waiters { waiter.resume(throwing: WebRTCError.closed) }
    }

    /// Waits until a closed connection has given back its sockets and threads. To be called after ``close()``.
    public func closed() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private typealias Remains = ([RTCRtpTransceiver], [RTCDataChannel], [CheckedContinuation<Void, any Error>])

    private func shut(failure: WebRTCError?) -> Remains? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            state.failure = failure
            (state.signaling, state.iceConnection) = (.closed, .closed)
            state.connection = failure == nil ? .closed : .failed
            defer { (state.channels, state.prepared, state.waiters) = ([], [:], [:]) }
            return (state.transceivers, state.channels + state.prepared.values, Array(state.waiters.values))
        }
    }

    /// Cuts the connection because of a fault of the engine or the peer, and says so. On the queue.
    func fail(_ error: WebRTCError) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let (transceivers, channels, waiters) = shut(failure: error) else { return }
        GStreamer.log.warning("\(error)")
        Self.tearDown(bin, trust, transceivers, channels)
        for waiter in waiters { waiter.resume(throwing: error) }
        delegate?.peerConnection(self, didChange: RTCPeerConnectionState.failed)
    }

    private static func tearDown(
        _ bin: WebRTCBin, _ trust: PeerTrust, _ transceivers: [RTCRtpTransceiver], _ channels: [RTCDataChannel]
    ) {
        // First nothing comes in from the source and nothing goes out to channels, then the engine stops.
        for transceiver in transceivers { transceiver.stop() }
        for channel in channels { channel.connectionClosed() }
        trust.forget()
        bin.shutDown()
    }

    /// Calls the delegate on the queue.
    func notify(_ call: @escaping @Sendable (any RTCPeerConnectionDelegate, RTCPeerConnection) -> Void) {
        queue.async { [weak self] in
            guard let self, let delegate else { return }
            call(delegate, self)
        }
    }
}
