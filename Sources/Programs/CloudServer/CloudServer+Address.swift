public import Foundation

extension CloudServer {
    /// The address that clients on this machine use, `http` with the port that it listens on.
    public var address: URL {
        var parts = URLComponents()
        parts.scheme = "http"
        // An IPv6 address stands in brackets, so that its colons are not taken for the port's.
        parts.encodedHost = host.contains(":") ? "[\(host)]" : host
        parts.port = port
        parts.path = "/"
        guard let url = parts.url else { preconditionFailure("a server listens on \(host), which is no host") }
        return url
    }
}
