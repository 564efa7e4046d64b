import Foundation
import Glibc

/// Addresses as the sockets interface has them, and as text.
enum NumericAddress {
    /// The numeric addresses of a host, in the resolver's order, each once. Blocks while a name is looked up.
    static func resolve(_ host: String) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var next = list
        while let entry = next {
            let text = text(of: entry.pointee.ai_addr, length: entry.pointee.ai_addrlen)
            if let text, !addresses.contains(text) { addresses.append(text) }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    /// The address as text.
    static func text(of storage: sockaddr_storage) -> String {
        withUnsafePointer(to: storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                text(of: $0, length: socklen_t(MemoryLayout<sockaddr_storage>.size)) ?? ""
            }
        }
    }

    private static func text(of address: UnsafePointer<sockaddr>?, length: socklen_t) -> String? {
        guard let address else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, length, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // A socket for both families shows IPv4 peers in their mapped form.
        return text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text
    }

    /// A socket that listens, non-blocking.
    /// - Returns: The descriptor and the real port, or an `errno`.
    static func listen(_ address: String, port: Int) -> Result<(descriptor: Int32, port: Int), SystemError> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &list) == 0, let entry = list else {
            return .failure(SystemError(code: EADDRNOTAVAIL))
        }
        defer { freeaddrinfo(list) }
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(entry.pointee.ai_family, entry.pointee.ai_socktype | flags, 0)
        guard descriptor >= 0 else { return .failure(SystemError(code: errno)) }
        var on: Int32 = 1
        // So that a restart need not wait for the last connections' TIME_WAIT.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isBound =
            bind(descriptor, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0
            && Glibc.listen(descriptor, 1024) == 0
            && withUnsafeMutablePointer(to: &storage) { storage in
                storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            } == 0
        guard isBound else {
            defer { close(descriptor) }
            return .failure(SystemError(code: errno))
        }
        let isV6 = storage.ss_family == sa_family_t(AF_INET6)
        let real = withUnsafeBytes(of: &storage) { bytes in
            isV6 ? bytes.load(as: sockaddr_in6.self).sin6_port : bytes.load(as: sockaddr_in.self).sin_port
        }
        return .success((descriptor, Int(UInt16(bigEndian: real))))
    }

    /// Takes the next connection off a listening socket, non-blocking.
    static func accept(_ listening: Int32) -> Result<(descriptor: Int32, address: String), SystemError> {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let descriptor = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.accept(listening, $0, &length) }
        }
        guard descriptor >= 0 else { return .failure(SystemError(code: errno)) }
        var on: Int32 = 1
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return .success((descriptor, text(of: storage)))
    }
}

/// What the system answered.
struct SystemError: Error {
    /// An `errno`.
    var code: Int32
}
