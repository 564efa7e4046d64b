public import Foundation

/// An open WebSocket, of a server or a client. Safe from any task.
///
/// State lies on the service thread and in two locked queues. A socket that is let go is closed normally.
public final class WebSocket: Sendable {
    /// A message.
    public enum Message: Sendable, Equatable {
        /// A text.
        case text(String)
        /// Bytes.
        case binary(Data)

        var byteCount: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .binary(let data): data.count
            }
        }
    }

    private let link: WebSocketLink

    init(_ link: WebSocketLink) { self.link = link }

    deinit { close() }

    /// The messages, in order, for one consumer. A consumer that lags behind slows the other side down.
    ///
    /// Ends without an error when the other side closed normally (code 1000, or none), when this side closed, and when the
    /// consuming task is cancelled; throws ``WebSocketsError`` otherwise.
    public var messages: AsyncThrowingStream<Message, any Error> {
        // It holds the socket, so that whoever only reads need not keep it.
        AsyncThrowingStream { [self] in try await link.inbox.next() }
    }

    /// Queues a message and returns at once.
    /// - Throws: ``WebSocketsError/closed(code:reason:)`` when the socket is closed; ``WebSocketsError/slowReader`` when what
    ///   waits passes the cap (the socket is closed by that); ``WebSocketsError/messageTooLarge(limit:)`` when the message
    ///   alone does (nothing else happens).
    public func send(_ message: Message) throws(WebSocketsError) {
        let mask: UInt32? = link.isServer ? nil : .random(in: .min ... .max)
        let frame =
            switch message {
            case .text(let text): WebSocketFrame.encode(.text, Data(text.utf8), mask: mask)
            case .binary(let data): WebSocketFrame.encode(.binary, data, mask: mask)
            }
        switch link.outbox.add(frame) {
        case .wake: perform { [link] in link.flush() }
        case .queued: break
        case .overflow:
            perform { [link] in link.abort(.slowReader) }
            throw .slowReader
        case .refused(let error): throw error
        }
    }

    /// Closes with the handshake of RFC 6455, behind the messages that have been sent; returns at once. Closing twice does
    /// nothing.
    /// - Parameters:
    ///   - code: 1000 for a normal end; 3000 to 4999 for codes of one's own.
    ///   - reason: For the other side; cut to 123 bytes.
    public func close(code: Int = 1000, reason: String = "") {
        perform { [link] in link.close(code: code, reason: reason) }
    }

    func perform(_ command: @escaping ServiceLoop.Command) { link.loop.perform(command) }
}
