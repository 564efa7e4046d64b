import Glibc

/// A port of this machine that is taken and at which nobody listens: connections to it are refused.
public final class DeafPort: Sendable {
    /// Its number.
    public let number: Int
    private let descriptor: Int32

    /// Takes a free port.
    public init() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        precondition(descriptor >= 0, "no socket")
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        number = Int(UInt16(bigEndian: address.sin_port))
        precondition(result == 0, "no port")
    }

    deinit { close(descriptor) }
}
