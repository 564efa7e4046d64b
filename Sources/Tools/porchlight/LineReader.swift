import Foundation

/// The lines of a pipe, read by a thread of its own.
///
/// A thread, because Foundation's `readabilityHandler` crashes in Dispatch when `Process` closes descriptors beside it.
enum LineReader {
    /// Each line as it comes; ends with the pipe. A last line without an end is given too.
    static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var buffer = Data()
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                buffer += data
                var pieces = buffer.split(separator: 0x0A, omittingEmptySubsequences: false)
                buffer = Data(pieces.removeLast())
                for piece in pieces { continuation.yield(String(decoding: piece, as: UTF8.self)) }
            }
            if !buffer.isEmpty { continuation.yield(String(decoding: buffer, as: UTF8.self)) }
            continuation.finish()
        }
        return stream
    }
}
