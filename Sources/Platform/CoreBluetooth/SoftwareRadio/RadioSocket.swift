import Foundation
import Glibc

/// Why a system call failed.
struct SystemCallError: Error, Equatable, CustomStringConvertible {
    var call: String
    var number: Int32
    var description: String { "\(call): \(String(cString: strerror(number)))" }

    static func last(_ call: String) -> SystemCallError { SystemCallError(call: call, number: errno) }

    /// Nobody listens behind the name: its process is dead.
    var meansStale: Bool { number == ECONNREFUSED }
    /// Nothing has the name.
    var meansAbsent: Bool { number == ENOENT }
    /// The listener's backlog is full.
    var meansBusy: Bool { number == EAGAIN }
}

/// A Unix-domain socket or an inotify descriptor, non-blocking, closed when it is let go.
///
/// The one place where the software radio meets the C library. It keeps no state but the descriptor, so it may be used
/// from any thread; its owner uses it on one queue.
final class RadioSocket: Sendable {
    let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Listens under a path. The name appears only when connections are accepted, so nobody finds it half-made.
    static func listen(at path: String) throws -> RadioSocket {
        let socket = try make()
        let draft = path + ".new"
        unlink(draft)
        try socket.withAddress(of: draft) { address, length in
            guard bind(socket.descriptor, address, length) == 0 else { throw SystemCallError.last("bind \(draft)") }
        }
        guard Glibc.listen(socket.descriptor, 128) == 0, chmod(draft, 0o600) == 0, rename(draft, path) == 0 else {
            let error = SystemCallError.last("listen at \(path)")
            unlink(draft)
            throw error
        }
        return socket
    }

    /// Connects to a listener, at once or not at all.
    static func connect(to path: String) throws -> RadioSocket {
        let socket = try make()
        try socket.withAddress(of: path) { address, length in
            guard Glibc.connect(socket.descriptor, address, length) == 0 else {
                throw SystemCallError.last("connect to \(path)")
            }
        }
        return socket
    }

    /// Tells when names in a directory appear and vanish. Readable when something happened.
    static func watch(directory: String) throws -> RadioSocket {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw SystemCallError.last("inotify_init1") }
        let socket = RadioSocket(descriptor: descriptor)
        let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF)
        guard inotify_add_watch(descriptor, directory, mask) >= 0 else {
            throw SystemCallError.last("watch \(directory)")
        }
        return socket
    }

    /// Takes a waiting connection: nil when there is none.
    func accept() throws -> RadioSocket? {
        while true {
            let accepted = Glibc.accept(descriptor, nil, nil)
            if accepted >= 0 {
                let socket = RadioSocket(descriptor: accepted)
                guard fcntl(accepted, F_SETFL, O_NONBLOCK) == 0, fcntl(accepted, F_SETFD, FD_CLOEXEC) == 0 else {
                    throw SystemCallError.last("prepare a connection")
                }
                return socket
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return nil
            default: throw SystemCallError.last("accept")
            }
        }
    }

    /// Reads what is there: nil when nothing is, empty at the end of the stream.
    func read(atMost count: Int = 16_384) throws -> [UInt8]? {
        var failure: SystemCallError?
        var ended = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while true {
                let result = Glibc.read(descriptor, buffer.baseAddress, count)
                if result > 0 { initialized = result }
                if result == 0 { ended = true }
                if result < 0 {
                    if errno == EINTR { continue }
                    if errno != EAGAIN { failure = .last("read") }
                }
                return
            }
        }
        if let failure { throw failure }
        return bytes.isEmpty && !ended ? nil : bytes
    }

    /// Writes as much as fits.
    /// - Returns: The number of bytes taken, 0 when the other side is slow.
    func write(_ bytes: ArraySlice<UInt8>) throws -> Int {
        try bytes.withUnsafeBytes { buffer in
            while true {
                let result = send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
                if result >= 0 { return result }
                switch errno {
                case EINTR: continue
                case EAGAIN: return 0
                default: throw SystemCallError.last("write")
                }
            }
        }
    }

    private static func make() throws -> RadioSocket {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw SystemCallError.last("socket") }
        return RadioSocket(descriptor: descriptor)
    }

    private func withAddress(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemCallError(call: "name a socket \(path)", number: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        try withUnsafePointer(to: address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

extension RadioSocket {
    /// Makes a directory for this user alone, or checks that nobody else can put radios into an existing one. The mode of
    /// a directory that somebody else made is theirs: it is looked at and not changed.
    static func prepare(directory: String) throws {
        if mkdir(directory, 0o700) == 0 { return }
        guard errno == EEXIST else { throw SystemCallError.last("make \(directory)") }
        var status = stat()
        guard lstat(directory, &status) == 0 else { throw SystemCallError.last("look at \(directory)") }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw SystemCallError(call: "use \(directory)", number: ENOTDIR)
        }
        guard status.st_uid == getuid() else {
            throw RadioDirectoryRefusal.belongsToAnother(path: directory, user: status.st_uid)
        }
        guard status.st_mode & 0o022 == 0 else { throw RadioDirectoryRefusal.othersMayWrite(path: directory) }
    }

    /// Names the file behind a path, so that a replaced one can be told from it.
    static func fileNumber(of path: String) -> UInt64? {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// The user's number, part of the default directory's name.
    static var userNumber: UInt32 { getuid() }
}
