import Basics
import Foundation

/// Frames on their way from any task to the service thread, with the cap on what may wait. State in one `Locked`.
final class MessageOutbox: Sendable {
    /// What a caller of ``add(_:)`` has to do.
    enum Outcome: Equatable {
        /// The service thread must be woken.
        case wake
        /// It has been woken already.
        case queued
        /// The queue ran over: the socket must be dropped.
        case overflow
        /// The socket is closed already, or the frame can never fit.
        case refused(WebSocketsError)
    }

    private struct State {
        var frames: [Data] = []
        var bytes = 0
        var bytesInTransport = 0
        var isWoken = false
        var end: WebSocketsError?
    }

    private let state = Locked(State())
    private let capacity: Int

    /// - Parameter capacity: In bytes, counting what the transport has not written either.
    init(capacity: Int) { self.capacity = capacity }

    /// Queues a frame.
    func add(_ frame: Data) -> Outcome {
        state.withLock { state in
            if let end = state.end { return .refused(end) }
            guard frame.count <= capacity else { return .refused(.messageTooLarge(limit: capacity)) }
            guard state.bytes + state.bytesInTransport + frame.count <= capacity else {
                state.end = .slowReader
                state.frames = []
                return .overflow
            }
            state.frames.append(frame)
            state.bytes += frame.count
            defer { state.isWoken = true }
            return state.isWoken ? .queued : .wake
        }
    }

    /// Hands over what has been queued, in order.
    func take() -> [Data] {
        state.withLock { state in
            defer {
                state.bytesInTransport += state.bytes
                (state.frames, state.bytes, state.isWoken) = ([], 0, false)
            }
            return state.frames
        }
    }

    /// Tells how much the transport has not written yet.
    func setBytesInTransport(_ count: Int) { state.withLock { $0.bytesInTransport = count } }

    /// Refuses everything from now on; the first reason counts.
    func finish(_ end: WebSocketsError) { state.withLock { if $0.end == nil { $0.end = end } } }
}
