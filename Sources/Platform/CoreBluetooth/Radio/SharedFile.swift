import Foundation
import Glibc

/// A file that several processes of one user change in turn.
struct SharedFile: Sendable {
    let url: URL

    /// Runs `body` with the file open for reading and writing, while no other process or thread has it.
    /// - Parameters:
    ///   - creating: Whether a file that is missing is made, readable for its owner only, with its directory.
    ///   - body: Gets nil when the file is missing and is not to be made.
    /// - Throws: What keeps the file from being opened or locked, and what `body` throws.
    func exclusively<Result>(creating: Bool, _ body: (FileHandle?) throws -> Result) throws -> Result {
        if creating {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        let descriptor = open(url.path, O_RDWR | O_CLOEXEC | (creating ? O_CREAT : 0), 0o600)
        if descriptor < 0 {
            if errno == ENOENT, !creating { return try body(nil) }
            throw SystemCallError.last("open")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        defer { try? handle.close() }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw SystemCallError.last("lock") }
        }
        return try body(handle)
    }
}
