#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What addresses this machine has.
enum LocalAddresses {
    /// Whether there is no address but loopback ones. The ICE library passes those over, so that a machine without
    /// network would have no candidate at all.
    static var onlyLoopback: Bool {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return false }
        defer { freeifaddrs(first) }
        var next = first
        while let interface = next {
            next = interface.pointee.ifa_next
            guard let address = interface.pointee.ifa_addr else { continue }
            let family = Int32(address.pointee.sa_family)
            guard family == AF_INET || family == AF_INET6 else { continue }
            let flags = interface.pointee.ifa_flags
            if flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_LOOPBACK) == 0 { return false }
        }
        return true
    }
}
