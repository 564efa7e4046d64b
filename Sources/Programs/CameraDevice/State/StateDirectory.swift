import Basics
import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The directory in which a camera keeps its key and its registration, held by one process at a time.
///
/// Files are replaced whole: written beside, flushed to the disk, renamed over, and the directory is flushed too. So a
/// reader finds the old content or the new one, also after a power cut. Immutable after opening, so safe from any thread;
/// two writers of one file are the caller's to avoid.
final class StateDirectory: Sendable {
    /// What can be done to a file went wrong; the reason is the system's.
    struct FileFailure: Error, Equatable {
        var code: Int32
        var reason: String { String(cString: strerror(code)) }
    }

    /// The directory's path.
    let path: String
    private let lock: Int32

    /// Makes the directory (mode 0700) where it is missing, and takes it for this process.
    ///
    /// A directory that is there keeps its mode: it may be one that others need, such as `/tmp`.
    /// - Throws: ``CameraError/stateDirectoryExposed(path:)`` for one that other accounts may enter, before anything in
    ///   it is touched.
    init(path: String) throws(CameraError) {
        self.path = path
        let mode: mode_t
        do throws(FileFailure) {
            mode = try Self.modeOfDirectory(at: path)
        } catch {
            throw .stateDirectoryNotWritable(path: path, reason: error.reason)
        }
        guard mode & 0o077 == 0 else { throw .stateDirectoryExposed(path: path) }
        let descriptor = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .stateDirectoryNotWritable(path: path, reason: FileFailure(code: errno).reason)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .stateDirectoryInUse(path: path)
        }
        lock = descriptor
    }

    deinit { close(lock) }

    /// The full path of a file.
    func path(of name: String) -> String { path + "/" + name }

    /// The content of a file, at most `limit` bytes; nil when there is no such file.
    func read(_ name: String, limit: Int = 1 << 16) throws(FileFailure) -> Data? {
        let descriptor = open(path(of: name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileFailure(code: errno)
        }
        defer { close(descriptor) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        do {
            return try file.read(upToCount: limit) ?? Data()
        } catch {
            throw FileFailure(code: EIO)
        }
    }

    /// The permission bits of a file; nil when there is no such file.
    func mode(of name: String) -> mode_t? {
        var status = stat()
        guard stat(path(of: name), &status) == 0 else { return nil }
        return status.st_mode & 0o777
    }

    /// Replaces a file (mode 0600) whole.
    func replace(_ name: String, with content: Data) throws(FileFailure) {
        let temporary = path(of: ".\(name).new")
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(code: errno) }
        do {
            try Self.writeAndFlush(content, to: descriptor)
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, path(of: name)) == 0 else {
            let failure = FileFailure(code: errno)
            unlink(temporary)
            throw failure
        }
        try flushDirectory()
    }

    /// Removes a file; that there is none is no error.
    func remove(_ name: String) throws(FileFailure) {
        guard unlink(path(of: name)) == 0 || errno == ENOENT else { throw FileFailure(code: errno) }
        try flushDirectory()
    }

    private static func writeAndFlush(_ content: Data, to descriptor: Int32) throws(FileFailure) {
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        do {
            try file.write(contentsOf: content)
        } catch {
            close(descriptor)
            throw FileFailure(code: ENOSPC)
        }
        // A failed flush is not tried again: the system may have dropped the pages, and a second one would succeed.
        guard fsync(descriptor) == 0 else {
            let failure = FileFailure(code: errno)
            close(descriptor)
            throw failure
        }
        guard close(descriptor) == 0 else { throw FileFailure(code: errno) }
    }

    private func flushDirectory() throws(FileFailure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileFailure(code: errno) }
    }

    /// The permission bits of a directory, which is made where it is missing, as are those above it.
    private static func modeOfDirectory(at path: String) throws(FileFailure) -> mode_t {
        var code = mkdir(path, 0o700) == 0 ? 0 : errno
        let parent = (path as NSString).deletingLastPathComponent
        if code == ENOENT, !parent.isEmpty, parent != path {
            _ = try modeOfDirectory(at: parent)
            code = mkdir(path, 0o700) == 0 ? 0 : errno
        }
        var status = stat()
        // What is there already is as good, whatever the system says of making it.
        guard stat(path, &status) == 0 else { throw FileFailure(code: code == 0 ? errno : code) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw FileFailure(code: ENOTDIR) }
        return status.st_mode & 0o777
    }
}
