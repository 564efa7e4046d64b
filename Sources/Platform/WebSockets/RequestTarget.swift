import Foundation

/// The second word of a request line, taken apart and percent-decoded (RFC 9112 section 3.2, RFC 3986).
struct RequestTarget {
    var path: String
    var query: [String: String]

    /// Takes the origin form (`/path?query`), the absolute form that goes to proxies, and `*` with `OPTIONS`.
    /// - Returns: nil when it is none of these, has a broken percent-encoding, decodes to something that is no UTF-8 or
    ///   holds a NUL, or has a `..` segment: no honest client sends one, and a file server must not meet one.
    init?(_ target: String, method: String) {
        var rest = Substring(target)
        if target == "*", method == "OPTIONS" {
            (path, query) = ("*", [:])
            return
        }
        if !rest.hasPrefix("/") {
            guard let scheme = rest.range(of: "://"),
                ["http", "https"].contains(rest[..<scheme.lowerBound].lowercased())
            else { return nil }
            rest = rest[scheme.upperBound...]
            guard let slash = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else {
                (path, query) = ("/", [:])
                return
            }
            rest = rest[slash...]
        }
        let mark = rest.firstIndex(of: "?") ?? rest.endIndex
        let encodedPath = rest[..<mark].isEmpty ? "/" : rest[..<mark]
        guard let path = Self.decode(encodedPath),
            !path.split(separator: "/", omittingEmptySubsequences: false).contains("..")
        else { return nil }
        self.path = path
        query = [:]
        guard mark < rest.endIndex else { return }
        for pair in rest[rest.index(after: mark)...].split(separator: "&") {
            let equals = pair.firstIndex(of: "=") ?? pair.endIndex
            let encodedValue = equals < pair.endIndex ? pair[pair.index(after: equals)...] : ""
            guard let name = Self.decode(pair[..<equals], plusIsBlank: true),
                let value = Self.decode(encodedValue, plusIsBlank: true)
            else { return nil }
            if query[name] == nil { query[name] = value }
        }
    }

    private static func decode(_ text: Substring, plusIsBlank: Bool = false) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsBlank && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
