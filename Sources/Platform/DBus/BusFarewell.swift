import Dispatch
import Glibc

/// Lets the bus read what a connection has said last.
///
/// A daemon that writes to a connection finds it closed, and then does not read what was still on its way from there. So a
/// connection is closed for writing first, and altogether when the daemon has closed its end.
final class BusFarewell: @unchecked Sendable {
    // Unchecked because what changes is touched on `queue` only.

    private static let queue = DispatchQueue(label: "porchlight.bus.farewell")
    /// A daemon that takes longer is stuck.
    private static let limit = DispatchTimeInterval.seconds(5)

    private let descriptor: Int32
    private let reader: any DispatchSourceRead
    private let timer: any DispatchSourceTimer

    /// Begins for a socket that its owner closes after this.
    static func begin(_ socket: Int32) {
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return }
        guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else {
            // The other end is gone.
            close(descriptor)
            return
        }
        BusFarewell(descriptor).start()
    }

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        timer = DispatchSource.makeTimerSource(queue: Self.queue)
    }

    /// The sources hold `self` until the end.
    private func start() {
        reader.setEventHandler { self.discard() }
        reader.setCancelHandler { close(self.descriptor) }
        timer.setEventHandler { self.end() }
        timer.schedule(deadline: .now() + Self.limit)
        timer.activate()
        reader.activate()
    }

    private func discard() {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            while true {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 || count < 0 && errno == EINTR { continue }
                if count == 0 || errno != EAGAIN { end() }
                return
            }
        }
    }

    private func end() {
        reader.cancel()
        timer.cancel()
    }
}
