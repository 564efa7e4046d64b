public import Foundation

/// A piece of a message that fits one characteristic value.
///
/// Four bytes of header: version and flags (high nibble 1; bit 0 first, bit 1 last), message number (wraps), index of the
/// frame in its message (2 bytes, big-endian). The first frame's payload begins with the message's length (2 bytes,
/// big-endian). A notification is cut silently to the MTU minus three, so the sender splits and the reader checks the
/// length.
public struct Frame: Sendable, Hashable {
    /// Bytes of the header.
    public static let headerBytes = 4
    /// The largest message, in bytes; the smallest has one.
    public static let maximumMessageBytes = 4096
    /// The smallest room a frame needs: a header, the length and one byte.
    public static let minimumBytes = headerBytes + 3

    /// Which message of the link this belongs to, modulo 256.
    public let message: UInt8
    /// The frame's place in the message, from 0.
    public let index: Int
    /// Whether the message begins here.
    public let isFirst: Bool
    /// Whether the message ends here.
    public let isLast: Bool
    /// The rest.
    public let payload: Data

    /// Reads one characteristic value.
    public init(decoding data: Data) throws(WireError) {
        // Never the header alone: BlueZ shows what a client reads as if it had been notified, and a position has four bytes.
        guard data.count > Self.headerBytes, data.count <= 512 else {
            throw .length(field: "frame", actual: data.count, allowed: Self.headerBytes + 1...512)
        }
        let bytes = Array(data.prefix(Self.headerBytes))
        guard bytes[0] >> 4 == 1 else { throw .version(Int(bytes[0] >> 4)) }
        isFirst = bytes[0] & 1 != 0
        isLast = bytes[0] & 2 != 0
        message = bytes[1]
        index = Int(bytes[2]) << 8 | Int(bytes[3])
        payload = Data(data.dropFirst(Self.headerBytes))
        guard isFirst == (index == 0) else {
            throw .value(field: "frame", reason: "the first flag and the index contradict each other")
        }
    }

    /// One characteristic value.
    public var encoded: Data {
        let flags: UInt8 = 0x10 | (isFirst ? 1 : 0) | (isLast ? 2 : 0)
        return Data([flags, message, UInt8(index >> 8), UInt8(index & 0xFF)]) + payload
    }

    private init(message: UInt8, index: Int, isFirst: Bool, isLast: Bool, payload: Data) {
        self.message = message
        self.index = index
        self.isFirst = isFirst
        self.isLast = isLast
        self.payload = payload
    }

    /// Splits a message.
    /// - Parameters:
    ///   - bytes: The message, at most ``maximumMessageBytes``.
    ///   - message: Its number: one more than that of the message before on this link, modulo 256.
    ///   - limit: The longest characteristic value, in bytes: the MTU minus three, and at least ``minimumBytes``.
    public static func split(_ bytes: Data, message: UInt8, limit: Int) throws(WireError) -> [Frame] {
        guard (1...maximumMessageBytes).contains(bytes.count) else {
            throw .length(field: "message", actual: bytes.count, allowed: 1...maximumMessageBytes)
        }
        guard limit >= minimumBytes else {
            throw .length(field: "frame", actual: limit, allowed: minimumBytes...512)
        }
        let length = Data([UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)])
        var rest = (length + bytes)[...]
        let room = min(limit, 512) - headerBytes
        var frames: [Frame] = []
        repeat {
            let piece = rest.prefix(room)
            rest = rest.dropFirst(room)
            frames.append(
                Frame(
                    message: message, index: frames.count, isFirst: frames.isEmpty, isLast: rest.isEmpty,
                    payload: Data(piece)))
        } while !rest.isEmpty
        return frames
    }
}
