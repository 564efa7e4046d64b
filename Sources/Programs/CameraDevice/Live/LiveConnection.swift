import Basics
import Foundation
import WebRTC
import Wire

/// One viewer's peer connection: answers the offer, and reports what becomes of it.
///
/// State is behind one lock; the delegates are called on the connection's queue. Closed by ``close()`` or when let go.
final class LiveConnection: RTCPeerConnectionDelegate, RTCDataChannelDelegate, Sendable {
    /// What becomes of the connection.
    enum Signal: Sendable, Equatable {
        /// Media flows.
        case connected
        /// The viewer has not been heard for some seconds; this may pass.
        case interrupted
        /// The viewer's data channel takes messages.
        case channelOpened
        /// The viewer says that it leaves.
        case goodbye
        /// The connection is over.
        case lost
    }

    /// What becomes of the connection, in order, for one consumer; ends with ``close()``.
    let signals: AsyncStream<Signal>
    private let yield: AsyncStream<Signal>.Continuation
    private let connection: RTCPeerConnection
    private let channel = Locked<RTCDataChannel?>(nil)

    /// Makes a connection that sends `track`.
    init(
        _ factory: RTCPeerConnectionFactory, sending track: RTCVideoTrack, iceServers: [ICEServer]
    ) throws(WebRTCError) {
        let configuration = RTCConfiguration()
        configuration.iceServers = iceServers.map {
            RTCIceServer(urlStrings: $0.urls, username: $0.username, credential: $0.credential?.revealed)
        }
        connection = try factory.makePeerConnection(with: configuration)
        (signals, yield) = AsyncStream.makeStream()
        connection.delegate = self
        let options = RTCRtpTransceiverInit()
        options.direction = .sendOnly
        options.streamIds = ["camera"]
        guard connection.addTransceiver(with: track, init: options) != nil else {
            throw .negotiationFailed(reason: "the picture cannot be sent")
        }
    }

    deinit {
        connection.close()
        yield.finish()
    }

    /// The answer to an offer, with all candidates.
    func answer(to sdp: String) async throws -> String {
        let constraints = RTCMediaConstraints(mandatoryConstraints: nil, optionalConstraints: nil)
        try await connection.setRemoteDescription(RTCSessionDescription(type: .offer, sdp: sdp))
        try await connection.setLocalDescription(connection.answer(for: constraints))
        try await connection.iceGatheringCompleted()
        guard connection.transceivers.contains(where: { $0.currentDirection?.sends == true }) else {
            throw WebRTCError.unacceptableDescription(reason: "it asks for no video that this camera can send")
        }
        guard let answer = connection.localDescription else { throw WebRTCError.closed }
        return answer.sdp
    }

    /// Sends a message; it is lost when the channel is not open.
    func send(_ message: DataChannelMessage) {
        _ = channel.withLock { $0 }?.sendData(RTCDataBuffer(data: message.encoded(), isBinary: false))
    }

    /// Whether messages wait to be sent.
    var hasUnsentMessages: Bool { (channel.withLock { $0 }?.bufferedAmount ?? 0) > 0 }

    /// Closes the connection. Its sockets and threads are gone when this returns.
    func close() async {
        connection.close()
        yield.finish()
        await connection.closed()
    }

    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCPeerConnectionState) {
        switch newState {
        case .connected: yield.yield(.connected)
        case .disconnected: yield.yield(.interrupted)
        case .failed, .closed: yield.yield(.lost)
        case .new, .connecting: break
        }
    }

    func peerConnection(_ peerConnection: RTCPeerConnection, didOpen dataChannel: RTCDataChannel) {
        let isFirst = channel.withLock { channel in
            guard channel == nil, dataChannel.label == DataChannelMessage.channelLabel else { return false }
            channel = dataChannel
            return true
        }
        // Only one channel has a meaning here.
        guard isFirst else { return dataChannel.close() }
        dataChannel.delegate = self
        yield.yield(.channelOpened)
    }

    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) {}

    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {
        guard DataChannelMessage(decoding: buffer.data) == .goodbye else { return }
        yield.yield(.goodbye)
    }
}

extension RTCRtpTransceiverDirection {
    fileprivate var sends: Bool { self == .sendOnly || self == .sendRecv }
}
