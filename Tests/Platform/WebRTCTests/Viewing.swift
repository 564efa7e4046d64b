import Foundation
import TestSupport
import Testing
import WebRTC

let noConstraints = RTCMediaConstraints(mandatoryConstraints: nil, optionalConstraints: nil)

/// The factory of all tests.
enum Engine {
    static let factory = RTCPeerConnectionFactory()
}

/// A small, slow test picture, whose own key frames come each minute.
func smallSource(_ name: String = "test", fps: Int = 15) -> RTCVideoSource {
    var settings = RTCVideoSourceSettings(capture: .testPattern(name: name))
    (settings.width, settings.height, settings.framesPerSecond) = (320, 240, fps)
    settings.bitrate = 300_000
    settings.keyFrameInterval = .seconds(60)
    return Engine.factory.videoSource(with: settings)
}

/// A camera's connection and a viewer's, the viewer offering, without trickling.
struct Viewing: Sendable {
    let camera: RTCPeerConnection
    let viewer: RTCPeerConnection
    let cameraLog = PeerLog()
    let viewerLog = PeerLog()
    let counter = FrameCounter()
    let channel: RTCDataChannel

    /// Makes both ends and negotiates.
    /// - Parameter relay: What happens to the answer on its way.
    init(
        of track: RTCVideoTrack, relay: (RTCSessionDescription) -> RTCSessionDescription = { $0 }
    ) async throws {
        camera = try Engine.factory.makePeerConnection(with: RTCConfiguration(), delegate: cameraLog)
        viewer = try Engine.factory.makePeerConnection(with: RTCConfiguration(), delegate: viewerLog)
        let options = RTCRtpTransceiverInit()
        options.direction = .recvOnly
        let transceiver = viewer.addTransceiver(of: .video, init: options)
        (transceiver?.receiver.track as? RTCVideoTrack)?.add(counter)
        guard let channel = viewer.dataChannel(forLabel: "control") else { throw WebRTCError.closed }
        self.channel = channel
        channel.delegate = viewerLog

        try await viewer.setLocalDescription(viewer.offer(for: noConstraints))
        try await viewer.iceGatheringCompleted()
        guard let offer = viewer.localDescription else { throw WebRTCError.closed }
        camera.add(track, streamIds: ["camera"])
        try await camera.setRemoteDescription(offer)
        try await camera.setLocalDescription(camera.answer(for: noConstraints))
        try await camera.iceGatheringCompleted()
        guard let answer = camera.localDescription else { throw WebRTCError.closed }
        try await viewer.setRemoteDescription(relay(answer))
    }

    /// Waits until both ends are connected.
    func connects() async throws {
        try await within(.seconds(20), "the viewer connects") { try await viewerLog.hears(.connection(.connected)) }
        try await within(.seconds(20), "the camera connects") { try await cameraLog.hears(.connection(.connected)) }
    }

    /// Waits for frames; when they do not come, says what both ends know.
    func sees(atLeast frames: Int) async throws {
        do {
            try await within(.seconds(20), "\(frames) frames") { try await counter.frames(atLeast: frames) }
        } catch {
            for (name, peer, log) in [("viewer", viewer, viewerLog), ("camera", camera, cameraLog)] {
                let streams = await peer.statistics().statistics.values.filter { $0.type.hasSuffix("bound-rtp") }
                Issue.record("\(name): \(log.entries) \(streams.map { "\($0.type) \($0.values)" })")
            }
            throw error
        }
    }

    func close() async {
        viewer.close()
        camera.close()
        await viewer.closed()
        await camera.closed()
    }
}
