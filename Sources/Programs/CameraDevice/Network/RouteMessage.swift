import Foundation

/// The kernel's messages about addresses (netlink, `NETLINK_ROUTE`): rtnetlink(7), netlink(7).
///
/// Numbers are in the byte order of the machine, as the kernel has them. Nothing is read past the end of the bytes.
struct RouteMessage: Sendable, Equatable {
    /// What a message says.
    enum Content: Sendable, Equatable {
        /// An address of the interface of this index: there, set, or renewed.
        case address(InterfaceAddress, interface: UInt32)
        /// An address that was taken away.
        case removedAddress(InterfaceAddress, interface: UInt32)
        /// The end of the answer to a request.
        case done
        /// The request was refused, with this error number.
        case failed(Int32)
    }

    /// What it says.
    var content: Content
    /// Whether it is part of the answer to a request for all addresses (`NLM_F_MULTI`), and no news. The sequence number
    /// does not tell: news repeats that of the request by which somebody else has made the change.
    var isAnswer: Bool

    /// The groups of news about IPv4 and IPv6 addresses (`RTMGRP_IPV4_IFADDR`, `RTMGRP_IPV6_IFADDR`).
    static let addressGroups: UInt32 = 0x10 | 0x100

    private static let headerLength = 16
    private static let addressHeaderLength = 8

    /// The request for all addresses of all interfaces.
    static func requestForAddresses() -> Data {
        // RTM_GETADDR, and NLM_F_REQUEST with NLM_F_DUMP.
        var bytes = Data()
        bytes.append(native: UInt32(headerLength + addressHeaderLength))
        bytes.append(native: UInt16(22))
        bytes.append(native: UInt16(0x1 | 0x300))
        bytes.append(native: UInt32(1))
        bytes.append(native: UInt32(0))
        bytes.append(contentsOf: [UInt8](repeating: 0, count: addressHeaderLength))
        return bytes
    }

    /// Reads what one `recv` has given; messages of other kinds are passed over, and so is all that follows a message
    /// whose length cannot be right.
    static func messages(in bytes: Data) -> [RouteMessage] {
        var messages: [RouteMessage] = []
        var rest = bytes[...]
        while let length = rest.native(UInt32.self, at: 0), length >= headerLength, Int(length) <= rest.count,
            let kind = rest.native(UInt16.self, at: 4), let flags = rest.native(UInt16.self, at: 6)
        {
            let body = rest.dropFirst(headerLength).prefix(Int(length) - headerLength)
            if let content = content(kind, body) {
                messages.append(RouteMessage(content: content, isAnswer: flags & 0x2 != 0))
            }
            rest = rest.dropFirst(padded(Int(length)))
        }
        return messages
    }

    private static func content(_ kind: UInt16, _ body: Data) -> Content? {
        switch kind {
        case 2: .failed(0 &- (body.native(Int32.self, at: 0) ?? 0))
        case 3: .done
        case 20: address(body).map { .address($0, interface: $1) }
        case 21: address(body).map { .removedAddress($0, interface: $1) }
        default: nil
        }
    }

    private static func address(_ body: Data) -> (InterfaceAddress, interface: UInt32)? {
        guard let family = body.native(UInt8.self, at: 0), var flags = body.native(UInt8.self, at: 2).map(UInt32.init),
            let scope = body.native(UInt8.self, at: 3), let index = body.native(UInt32.self, at: 4)
        else { return nil }
        var address: Data?
        var local: Data?
        var rest = body.dropFirst(addressHeaderLength)
        while let length = rest.native(UInt16.self, at: 0), length >= 4, Int(length) <= rest.count,
            let kind = rest.native(UInt16.self, at: 2)
        {
            let value = rest.dropFirst(4).prefix(Int(length) - 4)
            switch kind {
            case 1: address = Data(value)
            case 2: local = Data(value)
            // The byte in the header has room for half of the flags only.
            case 8: flags = value.native(UInt32.self, at: 0) ?? flags
            default: break
            }
            rest = rest.dropFirst(padded(Int(length)))
        }
        // AF_INET and AF_INET6.
        guard let bytes = local ?? address, bytes.count == [2: 4, 10: 16][family] else { return nil }
        // IFA_F_DADFAILED, IFA_F_DEPRECATED, IFA_F_TENTATIVE; RT_SCOPE_UNIVERSE and, for site, the numbers below LINK.
        let isUsable = flags & (0x08 | 0x20 | 0x40) == 0 && scope < 253 && !bytes.starts(with: [169, 254])
        return (InterfaceAddress(bytes: bytes, isPermanent: flags & 0x80 != 0, isUsable: isUsable), index)
    }

    private static func padded(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension Data {
    /// Appends a number in the machine's byte order.
    fileprivate mutating func append(native value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value) { append(contentsOf: $0) }
    }

    /// Reads a number in the machine's byte order at an offset from the start; nil past the end.
    fileprivate func native<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number? {
        let size = MemoryLayout<Number>.size
        guard offset + size <= count else { return nil }
        return dropFirst(offset).prefix(size).withUnsafeBytes { $0.loadUnaligned(as: Number.self) }
    }
}
