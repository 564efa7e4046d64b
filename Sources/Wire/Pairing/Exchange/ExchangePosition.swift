public import Foundation

/// Where a camera is in the messages of one client: what reading the exchange gives. Four bytes.
///
/// A client whose frame was not taken goes on from the first frame that is missing.
public struct ExchangePosition: Sendable, Hashable {
    /// How much of the message has arrived.
    public enum Progress: UInt8, Sendable, CaseIterable {
        /// No message has begun.
        case none = 0
        /// Frames are missing.
        case underWay = 1
        /// All of it.
        case complete = 2
    }

    /// The message's number.
    public var message: UInt8
    /// How much of it has arrived.
    public var progress: Progress
    /// The index of the first frame that is missing; 0 unless it is under way.
    public var firstMissing: Int

    /// Describes a position.
    public init(message: UInt8, progress: Progress, firstMissing: Int = 0) {
        self.message = message
        self.progress = progress
        self.firstMissing = firstMissing
    }

    /// Reads the characteristic's value.
    public init(decoding data: Data) throws(WireError) {
        guard data.count == 4 else { throw .length(field: "position", actual: data.count, allowed: 4...4) }
        var reader = ByteReader(data)
        message = try reader.byte("message")
        let code = try reader.byte("progress")
        guard let progress = Progress(rawValue: code) else {
            throw .value(field: "progress", reason: "code \(code) is not known")
        }
        self.progress = progress
        firstMissing = Int(try reader.number("index"))
    }

    /// The characteristic's value.
    public var encoded: Data {
        Data([message, progress.rawValue] + UInt16(clamping: firstMissing).bigEndianBytes)
    }
}
