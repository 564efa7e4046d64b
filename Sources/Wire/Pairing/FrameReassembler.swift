public import Foundation

/// Puts the frames of one characteristic together again.
///
/// Takes hostile bytes: what it keeps never exceeds the announced length, which never exceeds
/// ``Frame/maximumMessageBytes``. A frame that is ahead of the one due is refused and changes nothing, so that the sender
/// goes on from the first missing one. After any other error the message under way is forgotten, and a first frame is waited
/// for. A frame that came already is ignored, which lets a sender repeat itself: also one of the message before, so no
/// message is delivered twice.
public struct FrameReassembler: Sendable {
    private struct Partial {
        var message: UInt8
        var length: Int
        var nextIndex: Int
        var bytes: Data
    }

    private var partial: Partial?
    private var lastDelivered: UInt8?

    /// Waits for a first frame.
    public init() {}

    /// Where a sender that resumes goes on.
    public var position: ExchangePosition {
        if let partial {
            return ExchangePosition(message: partial.message, progress: .underWay, firstMissing: partial.nextIndex)
        }
        return ExchangePosition(message: lastDelivered ?? 0, progress: lastDelivered == nil ? .none : .complete)
    }

    /// Takes one characteristic value.
    /// - Returns: The message, when this was its last frame.
    public mutating func receive(_ data: Data) throws(WireError) -> Data? {
        do {
            return try add(try Frame(decoding: data))
        } catch .frameOrder(let expected, let received) {
            throw .frameOrder(expected: expected, received: received)
        } catch {
            partial = nil
            throw error
        }
    }

    private mutating func add(_ frame: Frame) throws(WireError) -> Data? {
        if frame.message == lastDelivered { return nil }
        if frame.isFirst {
            if partial?.message == frame.message { return nil }
            guard frame.payload.count >= 2 else {
                throw .length(field: "first frame", actual: frame.payload.count, allowed: 2...508)
            }
            let bytes = Array(frame.payload.prefix(2))
            let length = Int(bytes[0]) << 8 | Int(bytes[1])
            guard (1...Frame.maximumMessageBytes).contains(length) else {
                throw .length(field: "message", actual: length, allowed: 1...Frame.maximumMessageBytes)
            }
            partial = Partial(message: frame.message, length: length, nextIndex: 0, bytes: Data())
        }
        guard var current = partial, current.message == frame.message else {
            throw .frameOrder(expected: 0, received: frame.index)
        }
        if frame.index < current.nextIndex { return nil }
        guard frame.index == current.nextIndex else {
            throw .frameOrder(expected: current.nextIndex, received: frame.index)
        }
        current.bytes += frame.isFirst ? frame.payload.dropFirst(2) : frame.payload
        current.nextIndex += 1
        guard current.bytes.count <= current.length, frame.isLast || current.bytes.count < current.length else {
            throw .length(field: "message", actual: current.bytes.count, allowed: current.length...current.length)
        }
        if frame.isLast {
            guard current.bytes.count == current.length else {
                throw .length(field: "message", actual: current.bytes.count, allowed: current.length...current.length)
            }
            partial = nil
            lastDelivered = frame.message
            return current.bytes
        }
        partial = current
        return nil
    }
}
