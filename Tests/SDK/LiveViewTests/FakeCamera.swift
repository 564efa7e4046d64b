import Basics
import Foundation
import WebRTC
import Wire

/// The camera's end of one live view.
final class FakeCamera: RTCPeerConnectionDelegate, RTCDataChannelDelegate, Sendable {
    private struct State {
        var connection: RTCPeerConnection?
        var channel: RTCDataChannel?
    }

    private let state = Locked(State())
    private let onMessage: @Sendable (DataChannelMessage) -> Void

    init(
        factory: RTCPeerConnectionFactory, track: RTCVideoTrack,
        onMessage: @escaping @Sendable (DataChannelMessage) -> Void
    ) throws {
        self.onMessage = onMessage
        let connection = try factory.makePeerConnection(with: RTCConfiguration(), delegate: self)
        connection.add(track, streamIds: ["camera"])
        state.withLock { $0.connection = connection }
    }

    func answer(_ offer: String) async throws -> String {
        guard let connection = state.withLock({ $0.connection }) else { throw WebRTCError.closed }
        try await connection.setRemoteDescription(RTCSessionDescription(type: .offer, sdp: offer))
        let constraints = RTCMediaConstraints(mandatoryConstraints: nil, optionalConstraints: nil)
        try await connection.setLocalDescription(connection.answer(for: constraints))
        try await connection.iceGatheringCompleted()
        guard let answer = connection.localDescription else { throw WebRTCError.closed }
        return answer.sdp
    }

    func send(_ data: Data) {
        guard let channel = state.withLock({ $0.channel }) else { return }
        _ = channel.sendData(RTCDataBuffer(data: data, isBinary: false))
    }

    func close() async {
        guard let connection = state.withLock({ $0.connection }) else { return }
        connection.close()
        await connection.closed()
    }

    func peerConnection(_ peerConnection: RTCPeerConnection, didOpen dataChannel: RTCDataChannel) {
        dataChannel.delegate = self
        state.withLock { $0.channel = dataChannel }
        send(DataChannelMessage.rssi(-51).encoded())
    }

    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) {}

    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {
        if let message = DataChannelMessage(decoding: buffer.data) { onMessage(message) }
    }
}
