import Foundation
import WebRTC

/// Writes down what a connection and its channels report; what it hears can be awaited.
final class PeerLog: RTCPeerConnectionDelegate, RTCDataChannelDelegate, Sendable {
    enum Entry: Equatable, Sendable {
        case signaling(RTCSignalingState)
        case ice(RTCIceConnectionState)
        case gathering(RTCIceGatheringState)
        case connection(RTCPeerConnectionState)
        case candidate(RTCIceCandidate)
        case opened(label: String)
        case added(streams: [String])
        case receiving
        case channel(label: String, RTCDataChannelState)
        case message(Data, isBinary: Bool)
    }

    private let written = Watched<[Entry]>([])
    private let opened = Watched<[RTCDataChannel]>([])

    var entries: [Entry] { written.value }
    /// What the peer opened.
    var channels: [RTCDataChannel] { opened.value }

    /// Waits until `entry` is written.
    func hears(_ entry: Entry) async throws { try await hears { $0 == entry } }

    /// Waits until an entry fits `test`.
    func hears(_ test: @escaping @Sendable (Entry) -> Bool) async throws {
        try await written.waits { $0.contains(where: test) }
    }

    private func write(_ entry: Entry) { written.change { $0.append(entry) } }

    func peerConnection(_ peerConnection: RTCPeerConnection, didChange stateChanged: RTCSignalingState) {
        write(.signaling(stateChanged))
    }
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCIceConnectionState) {
        write(.ice(newState))
    }
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCIceGatheringState) {
        write(.gathering(newState))
    }
    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCPeerConnectionState) {
        write(.connection(newState))
    }
    func peerConnection(_ peerConnection: RTCPeerConnection, didGenerate candidate: RTCIceCandidate) {
        write(.candidate(candidate))
    }
    func peerConnection(_ peerConnection: RTCPeerConnection, didOpen dataChannel: RTCDataChannel) {
        dataChannel.delegate = self
        opened.change { $0.append(dataChannel) }
        write(.opened(label: dataChannel.label))
    }
    func peerConnection(
        _ peerConnection: RTCPeerConnection, didAdd rtpReceiver: RTCRtpReceiver, streams mediaStreams: [RTCMediaStream]
    ) {
        write(.added(streams: mediaStreams.map(\.streamId)))
    }
    func peerConnection(_ peerConnection: RTCPeerConnection, didStartReceivingOn transceiver: RTCRtpTransceiver) {
        write(.receiving)
    }
    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) {
        write(.channel(label: dataChannel.label, dataChannel.readyState))
    }
    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {
        write(.message(buffer.data, isBinary: buffer.isBinary))
    }
}
