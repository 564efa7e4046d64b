import Foundation
import TestSupport
import WebRTC

let noConstraints = RTCMediaConstraints(mandatoryConstraints: nil, optionalConstraints: nil)

/// A small, slow test picture, whose own key frames come each minute.
func smallSource(_ name: String = "test", fps: Int = 15) -> RTCVideoSource {
    var settings = RTCVideoSourceSettings(capture: .testPattern(name: name))
    (settings.width, settings.height, settings.framesPerSecond) = (320, 240, fps)
    settings.bitrate = 300_000
    settings.keyFrameInterval = .seconds(60)
    return Engine.factory.videoSource(with: settings)
}

/// The factory of all tests.
enum Engine {
    static let factory = RTCPeerConnectionFactory()
}

/// A camera's connection and a viewer's, the viewer offering, without trickling.
struct Viewing {
    let camera: RTCPeerConnection
    let viewer: RTCPeerConnection
    let cameraLog = PeerLog()
    let viewerLog = PeerLog()
    let counter = FrameCounter()
    let channel: RTCDataChannel

    /// Makes both ends and negotiates.
    init(of track: RTCVideoTrack) async throws {
        let factory = Engine.factory
        camera = try factory.makePeerConnection(with: RTCConfiguration(), delegate: cameraLog)
        viewer = try factory.makePeerConnection(with: RTCConfiguration(), delegate: viewerLog)
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
        try await viewer.setRemoteDescription(answer)
    }

    func close() async {
        viewer.close()
        camera.close()
        await viewer.closed()
        await camera.closed()
    }
}
