import Foundation
import Glibc

/// UDP, which carries live pictures: a datagram must come back from each of this machine's addresses.
struct DatagramCheck: Check {
    /// An address of a network interface that is up.
    struct Place: Sendable, Equatable {
        var interface: String
        /// In IPv4's notation.
        var address: String
        var isLoopback: Bool
    }

    var places: @Sendable () -> [Place] = Self.ofThisMachine
    /// Why a datagram to oneself at an address does not come; nil when it does.
    var loop: @Sendable (_ address: String) -> String? = Self.loop(at:)

    let title = "Network"
    let area = "udp"
    let roles: Set<Role> = [.app, .camera]

    func findings(for roles: Set<Role>) async -> [Finding] {
        await Self.apart { look() }
    }

    private func look() -> [Finding] {
        let places = places()
        let real = places.filter { !$0.isLoopback }
        guard !real.isEmpty else {
            return [
                .note(
                    "udp.address", "there is no address but loopback: live pictures stay on this machine",
                    "Connect it to a network.")
            ]
        }
        return real.map { place in
            let title = "\(place.address) (\(place.interface))"
            if let reason = loop(place.address) {
                return .problem(
                    "udp.datagram", "no datagram passes at \(title): \(reason)",
                    "Allow UDP of all ports on this machine's own networks in its firewall ('nft list ruleset').")
            }
            return .ok("udp.datagram", "datagrams pass at \(title)")
        }
    }

    private static func ofThisMachine() -> [Place] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var places: [Place] = []
        var next = first
        while let interface = next {
            next = interface.pointee.ifa_next
            guard let address = interface.pointee.ifa_addr, Int32(address.pointee.sa_family) == AF_INET,
                interface.pointee.ifa_flags & UInt32(IFF_UP) != 0
            else { continue }
            var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                _ = inet_ntop(AF_INET, &$0.pointee.sin_addr, &text, socklen_t(text.count))
            }
            places.append(
                Place(
                    interface: String(cString: interface.pointee.ifa_name),
                    address: String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self),
                    isLoopback: interface.pointee.ifa_flags & UInt32(IFF_LOOPBACK) != 0))
        }
        return places
    }

    private static func loop(at address: String) -> String? {
        func reason() -> String { String(cString: strerror(errno)) }
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return reason() }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        guard inet_pton(AF_INET, address, &place.sin_addr) == 1 else { return "it is no address" }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isSent = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                Glibc.bind(descriptor, place, length) == 0 && getsockname(descriptor, place, &length) == 0
                    && sendto(descriptor, "x", 1, 0, place, length) == 1
            }
        }
        guard isSent else { return reason() }
        var byte: UInt8 = 0
        guard recv(descriptor, &byte, 1, 0) == 1 else {
            return errno == EAGAIN ? "it was not heard of again" : reason()
        }
        return nil
    }
}
