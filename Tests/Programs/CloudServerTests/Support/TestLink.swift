import Basics
import Wire

@testable import CloudServer

/// The camera's end of a link without a socket: keeps what it is told, and hands on what it is told to say.
final class TestLink: CameraLink {
    private struct State {
        var isOpen = true
        var closed: CameraCloseReason?
    }

    private let state = Locked(State())
    private let toCamera: AsyncStream<CloudSocketMessage>.Continuation
    private let fromCamera: AsyncThrowingStream<String, any Error>.Continuation

    /// What the cloud says; ends when the link is closed.
    let heard: AsyncStream<CloudSocketMessage>
    /// What the camera says, for the service.
    let spoken: AsyncThrowingStream<String, any Error>

    init() {
        (heard, toCamera) = AsyncStream.makeStream()
        (spoken, fromCamera) = AsyncThrowingStream.makeStream()
    }

    var closeReason: CameraCloseReason? { state.withLock { $0.closed } }

    func send(_ message: CloudSocketMessage) -> Bool {
        guard state.withLock({ $0.isOpen }) else { return false }
        toCamera.yield(message)
        return true
    }

    func close(_ reason: CameraCloseReason) {
        state.withLock { state in
            state.isOpen = false
            state.closed = state.closed ?? reason
        }
        toCamera.finish()
        fromCamera.finish()
    }

    /// The camera says something.
    func say(_ text: String) { fromCamera.yield(text) }

    /// Nothing that is sent arrives from now on.
    func fail() { state.withLock { $0.isOpen = false } }

    /// The camera is gone without a word.
    func vanish() {
        state.withLock { $0.isOpen = false }
        toCamera.finish()
        fromCamera.finish()
    }
}
