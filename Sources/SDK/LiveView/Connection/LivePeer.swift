import Basics
import CloudClient
import Foundation
import WebRTC
import Wire

/// One attempt: a peer connection to the camera, its data channel, and its session at the cloud.
///
/// Thread-safe: state is behind one lock; reports come on the connection's queue or from the negotiating task.
final class LivePeer: RTCPeerConnectionDelegate, RTCDataChannelDelegate, Sendable {
    typealias Report = @Sendable (LiveViewMachine.AttemptEvent) -> Void

    private struct State {
        var connection: RTCPeerConnection?
        var channel: RTCDataChannel?
        var track: RTCVideoTrack?
        var answer: LiveAnswer?
        var isClosed = false
    }

    /// How long a goodbye is given to leave.
    private static let goodbyeTime = Duration.milliseconds(100)
    private static let log = Log("live")

    private let live: LiveService
    private let clock: any Clock<Duration>
    private let tap: FrameTap
    private let report: Report
    private let state = Locked(State())

    init(live: LiveService, clock: any Clock<Duration>, tap: FrameTap, report: @escaping Report) {
        self.live = live
        self.clock = clock
        self.tap = tap
        self.report = report
    }

    // MARK: - Opening

    /// Makes the connection. Ends when it is negotiated, failed or closed; what follows is reported.
    /// - Returns: The camera's answer.
    func negotiate(spaceId: String, deviceId: String, iceServers: [ICEServer]) async -> LiveAnswer? {
        do {
            let connection = try await prepare(iceServers)
            let constraints = RTCMediaConstraints(mandatoryConstraints: nil, optionalConstraints: nil)
            try await connection.setLocalDescription(connection.offer(for: constraints))
            try await connection.iceGatheringCompleted()
            guard let offer = connection.localDescription else { throw WebRTCError.closed }
            let answer = try await live.offer(spaceId: spaceId, deviceId: deviceId, sdp: offer.sdp)
            let isWanted = state.withLock { state in
                guard !state.isClosed else { return false }
                state.answer = answer
                return true
            }
            guard isWanted else {
                await end(answer)
                return nil
            }
            try await connection.setRemoteDescription(RTCSessionDescription(type: .answer, sdp: answer.sdp))
            return answer
        } catch let error as CloudError {
            report(.failed(.cloud(error)))
        } catch WebRTCError.closed {
            // By this side, which knows; or cut by a fault, which comes as a change of state.
        } catch let error as WebRTCError {
            report(.failed(.media(error)))
        } catch {
            report(.failed(.streamFailed(reason: "\(error)")))
        }
        return nil
    }

    private func prepare(_ iceServers: [ICEServer]) async throws(WebRTCError) -> RTCPeerConnection {
        let configuration = RTCConfiguration()
        configuration.iceServers = iceServers.map {
            RTCIceServer(urlStrings: $0.urls, username: $0.username, credential: $0.credential?.revealed)
        }
        let connection = try LiveEngine.factory.makePeerConnection(with: configuration, delegate: self)
        // Before the offer, so that the offer has both.
        let options = RTCRtpTransceiverInit()
        options.direction = .recvOnly
        guard let track = connection.addTransceiver(of: .video, init: options)?.receiver.track as? RTCVideoTrack,
            let channel = connection.dataChannel(forLabel: DataChannelMessage.channelLabel)
        else { throw .negotiationFailed(reason: "a new connection takes no channel and no picture") }
        track.add(tap)
        channel.delegate = self
        let isWanted = state.withLock { state in
            guard !state.isClosed else { return false }
            (state.connection, state.channel, state.track) = (connection, channel, track)
            return true
        }
        guard isWanted else {
            track.remove(tap)
            connection.close()
            await connection.closed()
            throw .closed
        }
        return connection
    }

    // MARK: - Closing

    /// Closes everything and ends the session. Returns when sockets and threads are given back.
    /// - Parameter goodbye: Tell the camera first, which otherwise learns of it from the cloud only.
    func close(goodbye: Bool) async {
        let parts: State? = state.withLock { state in
            guard !state.isClosed else { return nil }
            defer { state = State(isClosed: true) }
            return state
        }
        guard let parts else { return }
        parts.track?.remove(tap)
        async let ended: Void = end(parts.answer)
        if goodbye, let channel = parts.channel { await sayGoodbye(on: channel) }
        parts.connection?.close()
        await parts.connection?.closed()
        await ended
    }

    /// The engine sends on threads of its own and says of no message that it has left, and what has not left when the
    /// connection closes is lost.
    private func sayGoodbye(on channel: RTCDataChannel) async {
        guard channel.sendData(RTCDataBuffer(data: DataChannelMessage.goodbye.encoded(), isBinary: false)) else {
            return
        }
        // A cancelled sleep only means less time for it.
        try? await clock.sleep(for: Self.goodbyeTime)
    }

    private func end(_ answer: LiveAnswer?) async {
        guard let answer else { return }
        do throws(CloudError) {
            try await live.end(answer)
        } catch {
            Self.log.warning(
                "a live session could not be ended, and lasts until the camera misses the viewer: \(error)")
        }
    }

    // MARK: - Messages

    /// Sends a message, if the channel is open.
    /// - Returns: Whether it was taken.
    @discardableResult
    func send(_ message: DataChannelMessage) -> Bool {
        guard let channel = state.withLock({ $0.channel }) else { return false }
        return channel.sendData(RTCDataBuffer(data: message.encoded(), isBinary: false))
    }

    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel) {
        switch dataChannel.readyState {
        case .connecting: break
        case .open: report(.channel(isOpen: true))
        case .closing, .closed: report(.channel(isOpen: false))
        }
    }

    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer) {
        report(.message(buffer.data))
    }

    // MARK: - Media

    func peerConnection(_ peerConnection: RTCPeerConnection, didChange newState: RTCPeerConnectionState) {
        switch newState {
        case .connected: report(.reached)
        case .failed:
            let error: LiveViewError =
                peerConnection.failure.map { .media($0) }
                ?? .streamFailed(reason: "the camera cannot be reached any more")
            report(.failed(error))
        // 'disconnected' passes or becomes 'failed'; frames are watched meanwhile.
        case .new, .connecting, .disconnected, .closed: break
        }
    }
}
