import Foundation
import TestSupport
import Testing
import WebRTC

@Suite("A peer connection")
struct PeerConnectionTests {
    @Test("brings H.264 frames of the right size and messages both ways, and closes cleanly")
    func videoAndData() async throws {
        let source = smallSource()
        let track = Engine.factory.videoTrack(with: source, trackId: "video")
        try source.startCapture()
        let viewing = try await Viewing(of: track)
        try await within(.seconds(20), "the viewer connects") {
            try await viewing.viewerLog.hears(.connection(.connected))
        }
        try await within(.seconds(20), "the camera connects") {
            try await viewing.cameraLog.hears(.connection(.connected))
        }
        try await within(.seconds(20), "ten frames") { try await viewing.counter.frames(atLeast: 10) }
        let frame = try #require(viewing.counter.last)
        #expect(frame.width == 320 && frame.height == 240)
        #expect(viewing.counter.sizes == [CGSize(width: 320, height: 240)])

        try await within(.seconds(20), "the channel opens at the viewer") {
            try await viewing.viewerLog.hears(.channel(label: "control", .open))
        }
        try await within(.seconds(20), "the channel opens at the camera") {
            try await viewing.cameraLog.hears(.opened(label: "control"))
        }
        #expect(viewing.channel.sendData(RTCDataBuffer(data: Data("siren".utf8), isBinary: false)))
        try await within(.seconds(20), "the text arrives") {
            try await viewing.cameraLog.hears(.message(Data("siren".utf8), isBinary: false))
        }
        let back = try #require(viewing.cameraLog.channels.first)
        #expect(back.sendData(RTCDataBuffer(data: Data([0, 1, 2, 255]), isBinary: true)))
        try await within(.seconds(20), "the bytes arrive") {
            try await viewing.viewerLog.hears(.message(Data([0, 1, 2, 255]), isBinary: true))
        }

        await viewing.close()
        #expect(viewing.viewer.connectionState == .closed && viewing.camera.signalingState == .closed)
        #expect(viewing.channel.readyState == .closed && back.readyState == .closed)
        #expect(!viewing.channel.sendData(RTCDataBuffer(data: Data("late".utf8), isBinary: false)))
        await source.stopCapture()
        #expect(source.state == .ended)
    }
}
