import Basics
import Foundation
import TestSupport
import WebRTC
import Wire

@testable import CameraDevice

/// Somebody who watches: a peer connection that receives video and talks on the data channel.
///
/// State is behind locks; delegates are called on the connection's queues.
final class Viewer: RTCPeerConnectionDelegate, RTCDataChannelDelegate, RTCVideoRenderer, Sendable {
    struct NoOffer: Error {}

    /// The size of each frame that was shown.
    let frames: AsyncStream<CGSize>
    /// Each message of the camera that is known.
    let messages: AsyncStream<DataChannelMessage>
    /// Each state of the connection.
    let states: AsyncStream<RTCPeerConnectionState>
    private let framed: AsyncStream<CGSize>.Continuation
    private let told: AsyncStream<DataChannelMessage>.Continuation
    private let changed: AsyncStream<RTCPeerConnectionState>.Continuation
    private let connection: RTCPeerConnection
    private let channel: RTCDataChannel?

    init(_ factory: RTCPeerConnectionFactory = RTCPeerConnectionFactory(), video: Bool = true) throws {
        (frames, framed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(10))
        (messages, told) = AsyncStream.makeStream()
        (states, changed) = AsyncStream.makeStream()
        connection = try factory.makePeerConnection(with: RTCConfiguration())
        channel = connection.dataChannel(forLabel: DataChannelMessage.channelLabel)
        channel?.delegate = self
        connection.delegate = self
        guard video else { return }
        let options = RTCRtpTransceiverInit()
        options.direction = .recvOnly
        let transceiver = connection.addTransceiver(of: .video, init: options)
        (transceiver?.receiver.track as? RTCVideoTrack)?.add(self)
    }

    private static var constraints: RTCMediaConstraints {
        RTCMediaConstraints(mandatoryConstraints: nil, optionalConstraints: nil)
    }

    /// The offer, with all candidates.
    func offer() async throws -> String {
        try await connection.setLocalDescription(connection.offer(for: Self.constraints))
        try await connection.iceGatheringCompleted()
        guard let offer = connection.localDescription else { throw NoOffer() }
        return offer.sdp
    }

    func take(answer: String) async throws {
        try await connection.setRemoteDescription(RTCSessionDescription(type: .answer, sdp: answer))
    }

    /// Connects to the sessions of a camera.
    func watch(_ sessions: LiveSessions, as session: String) async throws {
        try await take(answer: sessions.answer(to: Self.offer(session, offer())).get())
    }

    /// Waits for decoded frames, and gives their size.
    func frames(_ count: Int) async throws -> CGSize {
        let size = try await within(.seconds(30), "\(count) frames") { [frames] in
            var seen = 0
            for await size in frames {
                seen += 1
                if seen == count { return Optional(size) }
            }
            return nil
        }
        guard let size else { throw NoOffer() }
        return size
    }

    /// Waits for a message.
    func message(where matches: @escaping @Sendable (DataChannelMessage) -> Bool) async throws -> DataChannelMessage? {
        try await within(.seconds(30), "a message of the camera") { [messages] in await messages.first { matches($0) } }
    }

    func send(_ message: DataChannelMessage) {
        _ = channel?.sendData(RTCDataBuffer(data: message.encoded(), isBinary: false))
    }

    func close() async {
        connection.close()
        await connection.closed()
    }

    static func offer(_ session: String, _ sdp: String, deadline: Duration = .seconds(20)) -> LiveOffer {
        LiveOffer(id: "offer of " + session, session: session, sdp: sdp, iceServers: [], deadline: deadline)
    }

    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCPeerConnectionState) {
        changed.yield(newState)
    }

    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) {}

    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {
        if let message = DataChannelMessage(decoding: buffer.data) { told.yield(message) }
    }

    func setSize(_ size: CGSize) {}

    func renderFrame(_ frame: RTCVideoFrame?) {
        if let frame { framed.yield(CGSize(width: Int(frame.width), height: Int(frame.height))) }
    }
}
