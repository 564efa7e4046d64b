import Foundation
import WebRTC

/// Counts frames and keeps the last; what it sees can be awaited.
final class FrameCounter: RTCVideoRenderer, Sendable {
    struct Seen: Sendable {
        var sizes: [CGSize] = []
        var frames = 0
        var last: RTCVideoFrame?
    }

    private let seen = Watched(Seen())

    var sizes: [CGSize] { seen.value.sizes }
    var frames: Int { seen.value.frames }
    var last: RTCVideoFrame? { seen.value.last }

    func setSize(_ size: CGSize) { seen.change { $0.sizes.append(size) } }

    func renderFrame(_ frame: RTCVideoFrame?) {
        seen.change { seen in
            seen.frames += 1
            seen.last = frame
        }
    }

    /// Waits until `count` frames have come in all.
    func frames(atLeast count: Int) async throws { try await seen.waits { $0.frames >= count } }
}
