import Basics
import Foundation
import TestSupport
import Testing

@testable import WebRTC

@Suite("Video")
struct VideoTests {
    @Test("reaches a second viewer of the same source at once, with a minute between periodic key frames")
    func secondViewer() async throws {
        let source = smallSource()
        try source.startCapture()
        let track = Engine.factory.videoTrack(with: source, trackId: "video")
        let first = try await Viewing(of: track)
        try await first.sees(atLeast: 20)
        let clock = ContinuousClock()
        let start = clock.now
        let second = try await Viewing(of: track)
        try await second.sees(atLeast: 1)
        let elapsed = clock.now - start
        #expect(elapsed < .seconds(5))
        // The first goes on while the second comes and goes.
        let seen = first.counter.frames
        try await first.sees(atLeast: seen + 10)
        await second.close()
        let before = first.counter.frames
        try await first.sees(atLeast: before + 10)
        await first.close()
        await source.stopCapture()
    }

    @Test("comes back when its source is started again, and when its track is enabled again")
    func restart() async throws {
        let source = smallSource()
        try source.startCapture()
        let track = Engine.factory.videoTrack(with: source, trackId: "video")
        let viewing = try await Viewing(of: track)
        try await viewing.sees(atLeast: 3)
        await source.stopCapture()
        try source.startCapture()
        try source.startCapture()
        #expect(source.state == .live)
        let again = viewing.counter.frames
        try await viewing.sees(atLeast: again + 5)
        track.isEnabled = false
        track.isEnabled = true
        let enabled = viewing.counter.frames
        try await viewing.sees(atLeast: enabled + 5)
        await viewing.close()
        await source.stopCapture()
    }

    @Test("goes on with a key frame when the viewer asks for one")
    func pictureLoss() async throws {
        let source = smallSource()
        try source.startCapture()
        let viewing = try await Viewing(of: Engine.factory.videoTrack(with: source, trackId: "video"))
        try await viewing.sees(atLeast: 5)
        let transceiver = try #require(viewing.viewer.transceivers.first)
        let incoming = try #require(transceiver.state.withLock { $0.incoming })
        try await within(.seconds(20), "the camera hears of it") {
            var count = 0.0
            while count < 1 {
                incoming.requestKeyFrame()
                let seen = viewing.counter.frames
                try await viewing.counter.frames(atLeast: seen + 3)
                let streams = await viewing.camera.statistics().statistics(ofType: "outbound-rtp")
                count = streams.compactMap { $0.number("pliCount") }.max() ?? 0
            }
        }
        await viewing.close()
        await source.stopCapture()
    }

    @Test("is asked for again when packets come and no frame does")
    func watch() {
        var watch = KeyFrameWatch()
        let second: UInt64 = 1_000_000_000
        // Three frames' packets may be on their way to the first frame.
        var answers = (1...3).map { watch.packetArrived(of: $0, now: second) }
        answers.append(watch.packetArrived(of: 3, now: second))
        #expect(answers == [false, false, false, false])
        let later = [
            watch.packetArrived(of: 4, now: second), watch.packetArrived(of: 5, now: second + 100_000_000),
            watch.packetArrived(of: 6, now: second + 300_000_000),
        ]
        #expect(later == [true, false, true])
        watch.frameCompleted()
        let afterwards = watch.packetArrived(of: 7, now: 5 * second)
        #expect(!afterwards)
    }

    @Test("shows a local track's pictures before they are encoded")
    func preview() async throws {
        let source = smallSource()
        let track = Engine.factory.videoTrack(with: source, trackId: "video")
        let counter = FrameCounter()
        track.add(counter)
        track.add(counter)
        try source.startCapture()
        try await within(.seconds(20), "frames") { try await counter.frames(atLeast: 3) }
        #expect(counter.sizes == [CGSize(width: 320, height: 240)])
        track.remove(counter)
        await source.stopCapture()
    }

    /// How wide a name is on the test picture, in pixels.
    private func labelWidth(_ name: String) async throws -> Int {
        let source = smallSource(name)
        let track = Engine.factory.videoTrack(with: source, trackId: "video")
        let counter = FrameCounter()
        track.add(counter)
        try source.startCapture()
        try await within(.seconds(20), "a frame") { try await counter.frames(atLeast: 1) }
        track.remove(counter)
        await source.stopCapture()
        let luma = try #require(counter.last).buffer.toI420().dataY
        // The bars are the same in all rows of the upper part, but for the label.
        let bars = luma[100 * 320..<101 * 320]
        let marked = (0..<320).filter { column in
            (0..<60).contains { abs(Int(luma[$0 * 320 + column]) - Int(bars[100 * 320 + column])) > 24 }
        }
        guard let first = marked.first, let last = marked.last else { return 0 }
        return last - first
    }

    @Test("shows a camera's name as it is, not as markup", arguments: ["Porch <b>&", "Porch <i></i>"])
    func nameIsNoMarkup(name: String) async throws {
        let (plain, marked) = (try await labelWidth("Porch"), try await labelWidth(name))
        #expect(plain > 20)
        #expect(marked > plain + 20)
    }

    @Test("gives a slow renderer the newest frame and never more than one at a time")
    func slowRenderer() async throws {
        let source = smallSource(fps: 30)
        let track = Engine.factory.videoTrack(with: source, trackId: "video")
        let (fast, slow) = (FrameCounter(), SlowRenderer())
        track.add(fast)
        track.add(slow)
        try source.startCapture()
        try await within(.seconds(20), "the slow one has a frame") { try await slow.seen.waits { $0.count == 1 } }
        try await within(.seconds(20), "the fast one has many") { try await fast.frames(atLeast: 20) }
        #expect(slow.seen.value.count == 1)
        slow.release()
        try await within(.seconds(20), "the slow one goes on") { try await slow.seen.waits { $0.count >= 2 } }
        let times = slow.seen.value
        // It skipped what had come in the meantime.
        #expect(times[1] - times[0] > 10 * 33_000_000)
        #expect(times == times.sorted())
        track.remove(slow)
        track.remove(fast)
        await source.stopCapture()
    }

    @Test("can be saved as PNG, and read as planes")
    func pictures() async throws {
        let source = smallSource("Snapshot")
        try source.startCapture()
        let viewing = try await Viewing(of: Engine.factory.videoTrack(with: source, trackId: "video"))
        try await viewing.sees(atLeast: 2)
        let frame = try #require(viewing.counter.last)
        await viewing.close()
        await source.stopCapture()
        // A frame outlives its connection.
        let png = try frame.pngData()
        #expect(png.prefix(8) == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        #expect(png.dropFirst(12).prefix(12) == Data("IHDR".utf8) + Data([0, 0, 1, 0x40, 0, 0, 0, 0xF0]))
        #expect(png.suffix(8).prefix(4) == Data("IEND".utf8))
        let buffer = frame.buffer.toI420()
        #expect(buffer.dataY.count == 320 * 240)
        #expect(buffer.dataU.count == 160 * 120 && buffer.dataV.count == 160 * 120)
        #expect(buffer.chromaWidth == 160 && buffer.chromaHeight == 120)
        // Colour bars are neither dark nor of one colour.
        #expect(Set(buffer.dataY).count > 20 && Set(buffer.dataU).count > 5)
        var rows = 0
        buffer.withRows(of: .v) { row in rows += row.count == 160 ? 1 : 0 }
        #expect(rows == 120)
    }

    @Test("refuses a device that is not there and settings that cannot be")
    func badSources() async throws {
        let missing = Engine.factory.videoSource(with: RTCVideoSourceSettings(capture: .device(path: "/dev/video987")))
        let error = #expect(throws: WebRTCError.self) { try missing.startCapture() }
        guard case .captureFailed(let source, _) = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(source == "/dev/video987")
        await #expect(throws: try #require(error)) { try await Engine.factory.checkCapture(with: missing.settings) }
        try await Engine.factory.checkCapture(with: RTCVideoSourceSettings(capture: .testPattern(name: "good")))
        #expect(missing.state != .live)
        var settings = RTCVideoSourceSettings(capture: .testPattern(name: "bad"))
        let spoilers: [(inout RTCVideoSourceSettings) -> Void] = [
            { $0.width = 321 }, { $0.height = 8 }, { $0.framesPerSecond = 0 }, { $0.bitrate = 1 },
            { $0.keyFrameInterval = .zero },
        ]
        for spoil in spoilers {
            settings = RTCVideoSourceSettings(capture: .testPattern(name: "bad"))
            spoil(&settings)
            let source = Engine.factory.videoSource(with: settings)
            let error = #expect(throws: WebRTCError.self) { try source.startCapture() }
            guard case .invalidConfiguration = error else {
                Issue.record("unexpected: \(String(describing: error))")
                continue
            }
        }
    }
}

/// Holds its first frame until it is released.
private final class SlowRenderer: RTCVideoRenderer, Sendable {
    let seen = Watched<[Int64]>([])
    private let gate = DispatchSemaphore(value: 0)

    func setSize(_ size: CGSize) {}

    func renderFrame(_ frame: RTCVideoFrame?) {
        guard let frame else { return }
        seen.change { $0.append(frame.timeStampNs) }
        if seen.value.count == 1 { gate.wait() }
    }

    func release() { gate.signal() }
}
