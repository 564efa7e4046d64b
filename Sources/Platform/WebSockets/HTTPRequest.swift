public import Foundation

/// A complete HTTP request, as a service gets it.
public struct HTTPRequest: Sendable {
    /// The method, as sent (methods are case-sensitive): `GET`, `POST`, or anything else that is a token.
    public var method: String
    /// The path, percent-decoded, without the query. It begins with `/` and has no `..` segment (such requests are
    /// refused with 400); for `OPTIONS *` it is `*`.
    public var path: String
    /// The query's parameters, percent-decoded with `+` as a blank; of a repeated name the first counts.
    public var query: [String: String]
    /// The header fields.
    public var headers: HTTPFields
    /// The body, empty when there is none; a chunked body is put together.
    public var body: Data
    /// The peer's numeric address, without its port. Behind a reverse proxy it is the proxy's.
    public var remoteAddress: String

    /// A request made by hand, for instance to test a service without a server.
    public init(
        method: String = "GET", path: String, query: [String: String] = [:], headers: HTTPFields = [:],
        body: Data = Data(), remoteAddress: String = "127.0.0.1"
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
    }
}
