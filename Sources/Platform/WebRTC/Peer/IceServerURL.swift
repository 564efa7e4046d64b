/// The address of a STUN or TURN server in the form that the media engine takes (RFC 7064, 7065 → URI with authority).
enum IceServerURL: Equatable {
    case stun(String)
    case turn(String)

    /// Reads `stun:host[:port]`, `turn:host[:port][?transport=udp|tcp]` or `turns:…`, with the server's credentials.
    /// - Throws: ``WebRTCError/invalidConfiguration(reason:)``, which never holds the credential.
    init(_ url: String, of server: RTCIceServer) throws(WebRTCError) {
        let parts = url.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw .invalidConfiguration(reason: "\(url) is not an ICE server's URL") }
        let query = parts[1].split(separator: "?", maxSplits: 1).map(String.init)
        guard var host = query.first, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/@\"\\".utf8.contains($0) })
        else { throw .invalidConfiguration(reason: "\(url) has no usable host") }
        let scheme = parts[0].lowercased()
        if !Self.hasPort(host) { host += scheme == "turns" ? ":5349" : ":3478" }
        switch scheme {
        case "stun": self = .stun("stun://\(host)")
        case "turn", "turns":
            guard let username = server.username, let credential = server.credential else {
                throw .invalidConfiguration(reason: "the TURN server \(url) needs a username and a credential")
            }
            let transport = query.count > 1 ? "?\(query[1])" : ""
            self = .turn("\(scheme)://\(Self.escaped(username)):\(Self.escaped(credential))@\(host)\(transport)")
        default: throw .invalidConfiguration(reason: "\(url) is neither stun:, turn: nor turns:")
        }
    }

    private static func hasPort(_ host: String) -> Bool {
        guard let colon = host.lastIndex(of: ":") else { return false }
        return !host[colon...].contains("]")
    }

    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.map { byte in
            byte.isTokenLetter || "-._~".utf8.contains(byte)
                ? String(UnicodeScalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }.joined()
    }
}
