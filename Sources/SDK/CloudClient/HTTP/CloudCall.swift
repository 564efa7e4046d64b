import Foundation

/// A request before it is known which cloud it goes to.
struct CloudCall: Sendable {
    /// Where it goes.
    enum Target: Sendable {
        /// A route of the configured cloud.
        case route(String)
        /// An address that an earlier answer named.
        case address(URL)
    }

    var method: String
    var target: Target
    var accept = "application/json"
    var contentType: String?
    var body: Data?

    /// A request for a value.
    static func get(_ route: String) -> CloudCall { CloudCall(method: "GET", target: .route(route)) }

    /// A request with a JSON body.
    static func post(_ route: String, _ value: some Encodable) -> CloudCall {
        do {
            let body = try JSONEncoder().encode(value)
            return CloudCall(method: "POST", target: .route(route), contentType: "application/json", body: body)
        } catch {
            preconditionFailure("the wire's own types of strings and numbers always encode: \(error)")
        }
    }

    /// The full address.
    func url(on cloud: URL) throws(CloudError) -> URL {
        switch target {
        case .address(let url): return url
        case .route(let route):
            var base = cloud.absoluteString
            if let end = base.firstIndex(where: { $0 == "?" || $0 == "#" }) { base.removeSubrange(end...) }
            while base.hasSuffix("/") { base.removeLast() }
            guard let url = URL(string: base + route) else { throw .badAddress("it does not take the path \(route)") }
            return url
        }
    }

    /// Text as one segment of a path.
    static func segment(_ text: String, _ name: String) throws(CloudError) -> String {
        guard !text.isEmpty else { throw .badArgument(name: name, reason: "is empty") }
        guard text != ".", text != ".." else { throw .badArgument(name: name, reason: "cannot be a dot or two") }
        guard text.utf8.count <= 256 else { throw .badArgument(name: name, reason: "is longer than 256 bytes") }
        guard let encoded = text.addingPercentEncoding(withAllowedCharacters: Self.unreserved) else {
            throw .badArgument(name: name, reason: "is not text")
        }
        return encoded
    }

    /// RFC 3986, section 2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
