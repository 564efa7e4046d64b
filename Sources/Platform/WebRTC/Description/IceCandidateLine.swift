#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A candidate, read (RFC 8839, chapter 5.1).
struct IceCandidateLine: Equatable, Sendable {
    var foundation: String
    var component: UInt8
    /// `UDP` or `TCP`.
    var transport: String
    var priority: UInt32
    var address: String
    var port: UInt16
    var type: String
    var relatedAddress: String?
    var relatedPort: UInt16?
    var tcpType: String?

    /// What reading a candidate can come to.
    enum Reading: Equatable {
        case candidate(IceCandidateLine)
        /// Well-formed, of no use here: a host name (mDNS names cannot be resolved here, and the peer's own checks reveal
        /// its address), another component, or another transport.
        case useless
        case malformed
    }

    /// Reads what follows `candidate:`.
    static func read(_ text: some StringProtocol) -> Reading {
        let words: [String] = text.split(separator: " " as Character).map { String($0) }
        guard words.count >= 8, words.count <= 40, words[6] == "typ",
            !words[0].isEmpty, words[0].utf8.count <= 32, words[0].utf8.allSatisfy(\.isIceCharacter),
            let component = UInt16(words[1]), let priority = UInt32(words[3]), let port = UInt16(words[5])
        else { return .malformed }
        var candidate = IceCandidateLine(
            foundation: words[0], component: UInt8(clamping: component), transport: words[2].uppercased(),
            priority: priority, address: words[4], port: port, type: words[7])
        var index = 8
        while index + 1 < words.count {
            let value = words[index + 1]
            switch words[index] {
            case "raddr": candidate.relatedAddress = value
            case "rport": candidate.relatedPort = UInt16(value)
            case "tcptype": candidate.tcpType = value
            default: break
            }
            index += 2
        }
        if let related = candidate.relatedAddress, !isAddress(related) || candidate.relatedPort == nil {
            (candidate.relatedAddress, candidate.relatedPort) = (nil, nil)
        }
        guard component == 1, ["host", "srflx", "prflx", "relay"].contains(candidate.type),
            isAddress(candidate.address)
        else { return .useless }
        switch candidate.transport {
        case "UDP": candidate.tcpType = nil
        case "TCP" where ["active", "passive", "so"].contains(candidate.tcpType ?? ""): break
        default: return .useless
        }
        return .candidate(candidate)
    }

    /// The text, beginning with `candidate:`.
    var text: String {
        var text = "candidate:\(foundation) \(component) \(transport) \(priority) \(address) \(port) typ \(type)"
        if let relatedAddress, let relatedPort { text += " raddr \(relatedAddress) rport \(relatedPort)" }
        if let tcpType { text += " tcptype \(tcpType)" }
        return text
    }

    private static func isAddress(_ text: String) -> Bool {
        var storage = in6_addr()
        return inet_pton(AF_INET, text, &storage) == 1 || inet_pton(AF_INET6, text, &storage) == 1
    }
}

extension UInt8 {
    /// An `ice-char` of RFC 8839: a letter, a digit, `+` or `/`.
    var isIceCharacter: Bool { isTokenLetter || self == UInt8(ascii: "+") || self == UInt8(ascii: "/") }

    /// An ASCII letter or digit.
    var isTokenLetter: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }

    /// A `token-char` of RFC 8866.
    var isTokenCharacter: Bool {
        isTokenLetter || "!#$%&'*+-.^_`{|}~".utf8.contains(self)
    }
}
