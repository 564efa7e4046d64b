import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The kernel's word on interface addresses, by netlink: no polling. Safe from any thread.
struct KernelAddresses: AddressWatch {
    func changes(of interface: String) throws(WiFiError) -> AsyncStream<AddressChange> {
        let index = if_nametoindex(interface)
        guard index != 0 else { throw .noInterface(name: interface, reason: "there is no such interface") }
        let (stream, continuation) = AsyncStream.makeStream(of: AddressChange.self)
        let socket = try RouteSocket(groups: RouteMessage.addressGroups) { news in
            guard case .message(let message) = news else {
                continuation.yield(.restarted)
                return
            }
            switch message.content {
            case .address(let address, index):
                continuation.yield(message.isAnswer ? .present(address) : .added(address))
            case .removedAddress(let address, index):
                continuation.yield(.removed(address))
            case .address, .removedAddress, .done, .failed:
                break
            }
        }
        continuation.onTermination = { _ in socket.close() }
        try socket.requestAddresses()
        return stream
    }

    func isReachable(without interface: String) -> Bool {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return false }
        defer { freeifaddrs(first) }
        return sequence(state: first) { next in
            defer { next = next?.pointee.ifa_next }
            return next?.pointee
        }.contains { (entry: ifaddrs) in
            guard let address = entry.ifa_addr else { return false }
            let isUp = entry.ifa_flags & UInt32(IFF_UP) != 0
            let isLoopback = entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0
            guard isUp, !isLoopback, String(cString: entry.ifa_name) != interface else { return false }
            return Self.isRoutable(address)
        }
    }

    /// Whether it is an address that is good beyond the link.
    private static func isRoutable(_ address: UnsafePointer<sockaddr>) -> Bool {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr) { !$0.starts(with: [169, 254]) }
            }
        case AF_INET6:
            return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr) { !($0[0] == 0xFE && $0[1] & 0xC0 == 0x80) }
            }
        default:
            return false
        }
    }
}

/// A netlink socket, read on a queue of its own until it is closed. Safe from any thread.
private final class RouteSocket: @unchecked Sendable {
    // Unchecked because the source is only made and cancelled, and Dispatch allows that from any thread.

    enum News: Sendable {
        case message(RouteMessage)
        /// Messages were lost; the answers to a new request follow.
        case lost
    }

    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// Opens the socket, subscribes to the news of `groups`, and begins to read.
    /// - Parameter deliver: Called on the socket's queue for each message.
    init(groups: UInt32, deliver: @escaping @Sendable (News) -> Void) throws(WiFiError) {
        // NETLINK_ROUTE is 0.
        let descriptor = socket(
            AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw Self.failure() }
        // struct sockaddr_nl, which Glibc's module lacks: family, padding, port (0: the kernel chooses), groups.
        var address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(AF_NETLINK), 0, 0, groups)
        let result = withUnsafeBytes(of: &address) { bytes in
            bind(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard result == 0 else {
            let failure = Self.failure()
            Glibc.close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
        let queue = DispatchQueue(label: "porchlight.camera.addresses")
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == ENOBUFS {
                    // News was lost: ask for everything.
                    deliver(.lost)
                    Self.requestAddresses(descriptor)
                    continue
                }
                guard count > 0 else { return }
                for message in RouteMessage.messages(in: Data(buffer[..<count])) { deliver(.message(message)) }
            }
        }
        source.setCancelHandler { Glibc.close(descriptor) }
        source.activate()
    }

    /// Ends the reading, and closes the socket when the queue is done with it.
    func close() { source.cancel() }

    /// Asks for the addresses of all interfaces.
    func requestAddresses() throws(WiFiError) {
        guard Self.requestAddresses(descriptor) else { throw Self.failure() }
    }

    @discardableResult
    private static func requestAddresses(_ descriptor: Int32) -> Bool {
        let request = RouteMessage.requestForAddresses()
        return request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) } == request.count
    }

    private static func failure() -> WiFiError {
        .refused(reason: "the kernel does not tell addresses: \(String(cString: strerror(errno)))")
    }
}
