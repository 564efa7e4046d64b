import Basics
import Foundation
import TestSupport
import Testing

@testable import WebRTC

/// Films with a real V4L2 device, in the radio lab: `PORCHLIGHT_LAB_VIDEO` is its path.
@Suite("A video device", .enabled(if: ProcessInfo.processInfo.environment["PORCHLIGHT_LAB_VIDEO"] != nil), .serialized)
struct VideoDeviceLabTests {
    private let path = ProcessInfo.processInfo.environment["PORCHLIGHT_LAB_VIDEO"] ?? ""

    init() { GStreamer.start() }

    private func source(_ width: Int = 320, _ height: Int = 180) -> RTCVideoSource {
        var settings = RTCVideoSourceSettings(capture: .device(path: path))
        (settings.width, settings.height, settings.framesPerSecond) = (width, height, 5)
        return Engine.factory.videoSource(with: settings)
    }

    /// Waits for frames of a source that runs.
    /// - Returns: The last one.
    private func frames(_ count: Int, of source: RTCVideoSource) async throws -> RTCVideoFrame? {
        let track = Engine.factory.videoTrack(with: source, trackId: "video")
        let counter = FrameCounter()
        track.add(counter)
        defer { track.remove(counter) }
        try await within(.seconds(60), "frames") { try await counter.frames(atLeast: count) }
        return counter.last
    }

    @Test("offers many formats")
    func offers() throws {
        let element = try Element("v4l2src")
        element.set("device", text: path)
        let offers = try DeviceOffer.all(of: element, path: path)
        #expect(offers.count > 20)
        #expect(offers.contains { $0.coding == .raw(format: "YUY2") })
    }

    @Test("is filmed in sizes that it has, and in others", arguments: [(320, 180), (426, 240), (480, 360)])
    func films(width: Int, height: Int) async throws {
        let source = source(width, height)
        try source.startCapture()
        let picture = try #require(try await frames(5, of: source)).buffer.toI420()
        #expect(picture.width == width && picture.height == height)
        // vivid's picture has eight bars.
        #expect(Set(picture.dataY).count >= 8, "a picture, and not one colour")
        await source.stopCapture()
    }

    @Test("that is in use is an error, and is filmed once it is free")
    func busy() async throws {
        let (first, second) = (source(), source())
        try first.startCapture()
        _ = try await frames(2, of: first)
        let (failures, failed) = AsyncStream.makeStream(of: WebRTCError.self)
        second.onFailure = { failed.yield($0) }
        var failure: WebRTCError?
        do throws(WebRTCError) {
            try second.startCapture()
            failure = try? await within(.seconds(30), "the failure") { await failures.first { _ in true } }
        } catch {
            failure = error
        }
        guard case .captureFailed(path, let reason) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reason.contains("busy"))
        await first.stopCapture()
        try second.startCapture()
        _ = try await frames(2, of: second)
        await second.stopCapture()
    }
}
