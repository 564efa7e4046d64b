internal import Basics
import Dispatch
import Foundation

/// Brings frames to one renderer on a serial queue: one at a time, the newest first, never more than one waiting.
final class FrameDelivery: @unchecked Sendable {
    // Unchecked because of the renderer, which is called on `queue` only; the rest is behind the lock.
    private struct State {
        var waiting: RTCVideoFrame?
        var isScheduled = false
        var hasEnded = false
    }

    private let renderer: any RTCVideoRenderer
    private let queue = DispatchQueue(label: "porchlight.webrtc.renderer")
    private let state = Locked(State())
    /// Touched on `queue` only.
    private var size: (width: Int32, height: Int32) = (0, 0)

    init(_ renderer: any RTCVideoRenderer) { self.renderer = renderer }

    func delivers(to other: any RTCVideoRenderer) -> Bool { renderer === other }

    /// Replaces the frame that waits.
    func deliver(_ frame: RTCVideoFrame) {
        let mustSchedule = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.waiting = frame
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.async { self.render() } }
    }

    /// Delivers nothing more.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            state.waiting = nil
        }
    }

    private func render() {
        dispatchPrecondition(condition: .onQueue(queue))
        let next: RTCVideoFrame? = state.withLock { state in
            defer { state.waiting = nil }
            if state.waiting == nil { state.isScheduled = false }
            return state.waiting
        }
        guard let next else { return }
        if size != (next.width, next.height) {
            size = (next.width, next.height)
            renderer.setSize(CGSize(width: Double(next.width), height: Double(next.height)))
        }
        renderer.renderFrame(next)
        // Asynchronously again, so that a queue shared with others would stay fair.
        queue.async { self.render() }
    }
}
