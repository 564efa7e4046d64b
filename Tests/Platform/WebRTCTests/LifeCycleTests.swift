import Foundation
import TestSupport
import Testing

@testable import WebRTC

@Suite("The life cycle")
struct LifeCycleTests {
    /// Runs alone in a process of its own: descriptors and threads of other tests would be counted too.
    @Test("of thirty connections leaves no descriptor and no thread behind")
    func cycles() async throws {
        await #expect(processExitsWith: .success) {
            let source = smallSource()
            try source.startCapture()
            let track = Engine.factory.videoTrack(with: source, trackId: "video")
            var baseline = (descriptors: 0, threads: 0)
            for cycle in 1...30 {
                let viewing = try await Viewing(of: track)
                try await within(.seconds(20), "frames in cycle \(cycle)") {
                    try await viewing.counter.frames(atLeast: 2)
                }
                await viewing.close()
                // The first cycles fill pools that stay.
                if cycle == 5 { baseline = Usage.now }
            }
            let end = Usage.now
            await source.stopCapture()
            #expect(end.descriptors <= baseline.descriptors + 4, "\(baseline) → \(end)")
            #expect(end.threads <= baseline.threads + 4, "\(baseline) → \(end)")
        }
    }

    @Test("of a connection that is dropped without being closed ends too")
    func dropped() async throws {
        await #expect(processExitsWith: .success) {
            let source = smallSource()
            try source.startCapture()
            let track = Engine.factory.videoTrack(with: source, trackId: "video")
            weak var camera: RTCPeerConnection?
            weak var viewer: RTCPeerConnection?
            for _ in 1...3 {
                let viewing = try await Viewing(of: track)
                try await within(.seconds(20), "frames") { try await viewing.counter.frames(atLeast: 2) }
                (camera, viewer) = (viewing.camera, viewing.viewer)
            }
            #expect(camera == nil && viewer == nil)
            await source.stopCapture()
        }
    }
}

/// What this process holds.
enum Usage {
    static var now: (descriptors: Int, threads: Int) {
        let count = { (path: String) in (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0 }
        return (count("/proc/self/fd"), count("/proc/self/task"))
    }
}
