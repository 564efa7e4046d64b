import CCurl
import Foundation

/// A request that can go out: what could not stand in one, or could write lines of its own into it, has been refused.
struct CheckedRequest: Sendable {
    let request: HTTPClient.Request
    /// The address as libcurl gets it.
    let address: String
    /// Host and port, as errors name them.
    let host: String
    /// Header lines in libcurl's form, in the order of their names.
    let lines: [String]

    init(_ request: HTTPClient.Request) throws(HTTPClientError) {
        guard Self.isToken(request.method), request.method.uppercased() != "CONNECT" else { throw .invalidMethod }
        self.request = request
        address = request.url.absoluteString
        host = try Self.host(of: request.url, address)
        lines = try Self.lines(of: request)
    }

    /// libcurl reads the address anew: that it goes to the host that Foundation sees in it is checked, not assumed.
    private static func host(of url: URL, _ address: String) throws(HTTPClientError) -> String {
        guard ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw .invalidURL(reason: "its address does not begin with http:// or https://")
        }
        guard url.user == nil, url.password == nil else {
            throw .invalidURL(reason: "its address carries a user name")
        }
        guard address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), let parts = Parts(address),
            parts.scheme == url.scheme?.lowercased(), parts.host == url.host.map(Parts.bare),
            parts.port == url.port ?? (parts.scheme == "https" ? 443 : 80)
        else { throw .invalidURL(reason: "its address cannot be read") }
        return parts.host.contains(":") ? "[\(parts.host)]:\(parts.port)" : "\(parts.host):\(parts.port)"
    }

    private static func lines(of request: HTTPClient.Request) throws(HTTPClientError) -> [String] {
        // libcurl's own for a body: a type that nobody chose, and a question before it that costs a second.
        var lines = ["Expect:", "User-Agent: Porchlight"]
        if !request.headers.keys.contains(where: { $0.lowercased() == "content-type" }) {
            lines.append("Content-Type:")
        }
        for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) {
            guard isToken(name) else { throw .invalidHeader(name: "name", reason: "is no word that can be sent") }
            guard !reserved.contains(name.lowercased()) else {
                throw .invalidHeader(name: name, reason: "is the client's own")
            }
            guard value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7f) || $0 == 0x09 }) else {
                throw .invalidHeader(name: name, reason: "holds a line break or another control character")
            }
            // Without a value, libcurl takes a colon as the wish to leave the header out.
            let isEmpty = value.allSatisfy { $0 == " " || $0 == "\t" }
            lines.append(isEmpty ? "\(name);" : "\(name): \(value)")
        }
        if request.headers.keys.contains(where: { $0.lowercased() == "user-agent" }) { lines.remove(at: 1) }
        return lines
    }

    private static let reserved: Set = ["host", "connection", "content-length", "expect", "transfer-encoding"]

    /// RFC 9110, section 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// What libcurl sees in an address.
    private struct Parts {
        let scheme: String
        /// In small letters, without brackets.
        let host: String
        let port: Int

        init?(_ address: String) {
            guard let handle = curl_url() else { return nil }
            defer { curl_url_cleanup(handle) }
            let flags = UInt32(CURLU_PATH_AS_IS | CURLU_DISALLOW_USER)
            guard curl_url_set(handle, CURLUPART_URL, address, flags) == CURLUE_OK else { return nil }
            func part(_ which: CURLUPart, _ flags: Int32 = 0) -> String? {
                var text: UnsafeMutablePointer<CChar>?
                guard curl_url_get(handle, which, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
                defer { curl_free(text) }
                return String(cString: text)
            }
            guard let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST),
                let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap(Int.init)
            else { return nil }
            self.scheme = scheme.lowercased()
            self.host = Self.bare(host)
            self.port = port
        }

        /// A host in small letters, an IPv6 address without brackets and zone, which libcurl keeps apart.
        static func bare(_ host: String) -> String {
            let host = host.lowercased()
            guard host.contains(":") else { return host }
            let inner = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
            return String(inner.prefix { $0 != "%" })
        }
    }
}
