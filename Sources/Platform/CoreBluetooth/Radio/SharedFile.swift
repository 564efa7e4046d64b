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
        while true {
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
            // Another one may have taken its place before it was locked.
            guard isInPlace(descriptor) else { continue }
            return try body(handle)
        }
    }

    /// Puts a new file in the place of this one, as a whole or not at all.
    ///
    /// Called from within ``exclusively(creating:_:)``, whose handle is of no use afterwards.
    func replace(with contents: Data) throws {
        let new = url.appendingPathExtension("new")
        let descriptor = open(new.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCallError.last("open") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        defer { try? handle.close() }
        try handle.write(contentsOf: contents)
        try handle.synchronize()
        guard rename(new.path, url.path) == 0 else { throw SystemCallError.last("rename") }
    }

    private func isInPlace(_ descriptor: CInt) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && stat(url.path, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }
}
