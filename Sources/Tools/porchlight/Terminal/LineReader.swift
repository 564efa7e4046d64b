import Foundation

/// The lines of a pipe, read by a thread of its own.
///
/// A thread, because Foundation's `readabilityHandler` crashes in Dispatch when `Process` closes descriptors beside it.
enum LineReader {
    /// The longest line, in bytes: of a longer one the rest is passed over.
    static let longest = 1 << 16

    /// Each line as it comes; ends with the pipe. A last line without an end is given too.
    static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var line = Data()
            var isCut = false
            let end = {
                if !isCut { continuation.yield(String(decoding: line, as: UTF8.self)) }
                (line, isCut) = (Data(), false)
            }
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                for (number, piece) in data.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
                    if number > 0 { end() }
                    guard !isCut else { continue }
                    line += piece.prefix(longest - line.count)
                    // Given at once, since the end of such a line may never come.
                    guard line.count == longest else { continue }
                    end()
                    isCut = true
                }
            }
            if !line.isEmpty { end() }
            continuation.finish()
        }
        return stream
    }
}
