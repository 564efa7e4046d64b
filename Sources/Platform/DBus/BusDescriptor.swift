import Basics
import Glibc

/// A file descriptor that came with a message or goes with one. It is closed with the last reference, unless it was
/// taken. Safe from any thread. Equal only to itself.
public final class BusDescriptor: Sendable, Equatable {
    private let descriptor: Locked<Int32?>

    /// Takes `descriptor` over.
    public init(owning descriptor: Int32) { self.descriptor = Locked(descriptor) }

    deinit {
        if let descriptor = take() { close(descriptor) }
    }

    /// Hands the descriptor over to the caller, who closes it; nil when that was done before.
    public func take() -> Int32? {
        descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
    }

    /// A duplicate, with close-on-exec, that the caller closes; nil when the descriptor was taken, or the process has no
    /// more to give.
    public func duplicate() -> Int32? {
        descriptor.withLock { descriptor in
            guard let descriptor else { return nil }
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            return copy < 0 ? nil : copy
        }
    }

    /// Identity.
    public static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }
}
