import Foundation

/// Scheme, host and port: what a token belongs to (RFC 6454).
struct Origin: Equatable, CustomStringConvertible {
    let scheme: String
    let host: String
    let port: Int

    /// The origin of an address.
    /// - Throws: ``CloudError/badAddress(_:)`` when it is no `http` or `https` address with a host.
    init(cloud url: URL) throws(CloudError) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw .badAddress("it does not begin with http:// or https://")
        }
        guard let host = url.host?.lowercased(), !host.isEmpty else { throw .badAddress("it names no host") }
        guard url.user == nil, url.password == nil else {
            throw .badAddress("it carries a user name; pass the token instead")
        }
        self.scheme = scheme
        self.host = host
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Host and port.
    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
