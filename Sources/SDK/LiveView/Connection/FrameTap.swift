import Foundation
import WebRTC

/// Takes the frames of one attempt, counts them and hands them on. Called on a serial queue of its own.
final class FrameTap: RTCVideoRenderer, Sendable {
    private let onSize: @Sendable (CGSize) -> Void
    private let onFrame: @Sendable (RTCVideoFrame) -> Void

    init(onSize: @escaping @Sendable (CGSize) -> Void, onFrame: @escaping @Sendable (RTCVideoFrame) -> Void) {
        self.onSize = onSize
        self.onFrame = onFrame
    }

    func setSize(_ size: CGSize) { onSize(size) }

    func renderFrame(_ frame: RTCVideoFrame?) {
        if let frame { onFrame(frame) }
    }
}
