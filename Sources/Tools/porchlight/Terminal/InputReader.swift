import Basics
import Foundation
import Glibc

/// Reads a descriptor while somebody wants its bytes, and never otherwise: what follows belongs to whoever reads next.
///
/// A thread waits, because a plain file is nothing that Dispatch can watch. One reader at a time; state is behind one lock.
final class InputReader: Sendable {
    private let descriptor: Int32
    private let kept = Locked<[UInt8]>([])

    init(_ descriptor: Int32 = STDIN_FILENO) { self.descriptor = descriptor }

    /// Bytes as they come, at least one; nil at the end, and when the waiting task is cancelled.
    func read() async -> [UInt8]? {
        let kept = kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
        if !kept.isEmpty { return kept }
        guard let bell = Bell() else { return nil }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { answer in
                Thread.detachNewThread { [descriptor] in
                    answer.resume(returning: Self.wait(for: descriptor, or: bell))
                }
            }
        } onCancel: {
            bell.ring()
        }
    }

    /// Gives bytes back that belong to the next reader.
    func keep(_ bytes: some Sequence<UInt8>) { kept.withLock { $0 = Array(bytes) + $0 } }

    private static func wait(for descriptor: Int32, or bell: Bell) -> [UInt8]? {
        var wanted = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: bell.listener, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            guard poll(&wanted, 2, -1) >= 0 || errno == EINTR else { return nil }
            if wanted[1].revents != 0 { return nil }
            guard wanted[0].revents != 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 { return Array(buffer[..<count]) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            return nil
        }
    }

    /// Wakes the thread.
    private final class Bell: Sendable {
        let listener: Int32
        private let button: Int32

        init?() {
            var ends: [Int32] = [0, 0]
            // A pair of sockets, since a pipe cannot be kept from children from its beginning.
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
            (listener, button) = (ends[0], ends[1])
        }

        deinit {
            close(listener)
            close(button)
        }

        func ring() { _ = Glibc.write(button, "!", 1) }
    }
}
