import Basics

/// Messages on their way from the service thread to the one task that consumes them. State in one `Locked`.
final class MessageInbox: Sendable {
    typealias Message = WebSocket.Message

    private struct State {
        var messages: [Message] = []
        var bytes = 0
        var end: Result<Void, WebSocketsError>?
        var waiter: CheckedContinuation<Message?, any Error>?
        var isFull = false
    }

    private let state = Locked(State())
    private let capacity: Int
    private let onRoom: @Sendable () -> Void

    /// - Parameters:
    ///   - capacity: In bytes; beyond it the peer is slowed down.
    ///   - onRoom: Called when there is room again.
    init(capacity: Int, onRoom: @escaping @Sendable () -> Void) {
        self.capacity = capacity
        self.onRoom = onRoom
    }

    /// Adds a message.
    /// - Returns: Whether there is room for more; if not, `onRoom` will be called.
    func push(_ message: Message) -> Bool {
        let (waiter, hasRoom) = state.withLock { state -> (CheckedContinuation<Message?, any Error>?, Bool) in
            guard state.end == nil else { return (nil, true) }
            if let waiter = state.waiter {
                state.waiter = nil
                return (waiter, true)
            }
            state.messages.append(message)
            state.bytes += message.byteCount
            state.isFull = state.bytes >= capacity
            return (nil, !state.isFull)
        }
        waiter?.resume(returning: message)
        return hasRoom
    }

    /// Ends the messages, behind those that wait. The first end counts.
    func finish(_ end: Result<Void, WebSocketsError>) {
        let waiter = state.withLock { state -> CheckedContinuation<Message?, any Error>? in
            guard state.end == nil else { return nil }
            state.end = end
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: end.map { nil }.mapError { $0 as any Error })
    }

    /// The next message; nil at the end, and when the task is cancelled.
    /// - Throws: ``WebSocketsError`` at an end that was not normal.
    func next() async throws -> Message? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                take(continuation)
            }
        } onCancel: {
            cancelWaiter()
        }
    }

    private func take(_ continuation: CheckedContinuation<Message?, any Error>) {
        enum Next {
            case message(Message, hasRoom: Bool)
            case end(Result<Void, WebSocketsError>)
            case wait
        }
        let isCancelled = Task.isCancelled
        let next: Next = state.withLock { state in
            if !state.messages.isEmpty {
                let message = state.messages.removeFirst()
                state.bytes -= message.byteCount
                let hasRoom = state.isFull && state.bytes <= capacity / 2
                if hasRoom { state.isFull = false }
                return .message(message, hasRoom: hasRoom)
            }
            if let end = state.end { return .end(end) }
            precondition(state.waiter == nil, "a WebSocket's messages have one consumer")
            if isCancelled { return .end(.success(())) }
            state.waiter = continuation
            return .wait
        }
        switch next {
        case .message(let message, let hasRoom):
            continuation.resume(returning: message)
            if hasRoom { onRoom() }
        case .end(let end): continuation.resume(with: end.map { nil }.mapError { $0 as any Error })
        case .wait: break
        }
    }

    private func cancelWaiter() {
        let waiter = state.withLock { state -> CheckedContinuation<Message?, any Error>? in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }
}
