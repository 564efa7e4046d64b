import DBus
import Dispatch
import Foundation
import Glibc

/// The daemon's socket for the writes without response to one characteristic: a packet is a value.
///
/// Confined to its queue. Closed by ``close()`` or when it is let go.
final class PacketSocket: @unchecked Sendable {
    // Unchecked because the mutable state is touched on `queue` only.

    enum Sent: Equatable, Sendable {
        case taken
        /// No room: try again when the socket is writable.
        case full
        case ended
    }

    /// Owned by the socket and by its sources, which may look at it until they have been cancelled.
    private final class Descriptor: Sendable {
        let number: Int32
        init(_ number: Int32) { self.number = number }
        deinit { Glibc.close(number) }
    }

    private let queue: DispatchQueue
    private var descriptor: Descriptor?
    private var writing: (any DispatchSourceWrite)?

    /// Takes a descriptor over from a reply: nil when it is taken already or cannot be made non-blocking.
    init?(_ descriptor: BusDescriptor, queue: DispatchQueue) {
        guard let number = descriptor.take() else { return nil }
        let owned = Descriptor(number)
        let flags = fcntl(number, F_GETFL)
        guard flags >= 0, fcntl(number, F_SETFL, flags | O_NONBLOCK) == 0 else { return nil }
        self.descriptor = owned
        self.queue = queue
    }

    deinit { close() }

    /// Gives the socket back. Nobody is called any more.
    func close() {
        writing?.cancel()
        (writing, descriptor) = (nil, nil)
    }

    /// Calls `body` once on the queue when there may be room to send.
    func onWritable(_ body: @escaping @Sendable () -> Void) {
        guard let descriptor, writing == nil else { return }
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
        source.setEventHandler { [weak self] in
            guard let self, let writing else { return }
            writing.cancel()
            self.writing = nil
            body()
        }
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
        writing = source
        source.activate()
    }

    /// Sends one packet.
    func send(_ value: Data) -> Sent {
        guard let number = descriptor?.number else { return .ended }
        while true {
            let result = value.withUnsafeBytes { buffer in
                Glibc.send(number, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            }
            if result >= 0 { return .taken }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS: return .full
            default: return .ended
            }
        }
    }

    /// Whether the daemon has read everything that was sent. Closing before would lose the rest.
    var isDrained: Bool {
        guard let number = descriptor?.number else { return true }
        var waiting: Int32 = 0
        return ioctl(number, UInt(TIOCOUTQ), &waiting) != 0 || waiting == 0
    }
}
