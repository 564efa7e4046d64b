public import Foundation

/// An HTTP response, as a service gives it.
public struct HTTPResponse: Sendable, Equatable {
    /// The status code, 200 to 599.
    public var status: Int
    /// The header fields. `Content-Length`, `Date` and `Transfer-Encoding` are the server's: values given here for them
    /// are ignored. `Connection: close` closes the connection after this response.
    public var headers: HTTPFields
    /// The body. It is not sent with 204 and 304 nor in answer to `HEAD`.
    public var body: Data

    /// A response.
    public init(status: Int, headers: HTTPFields = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The error body that the server itself gives, in the shape that the cloud's clients decode.
    static func failure(_ status: Int, code: String, message: String, field: String? = nil) -> HTTPResponse {
        let field = field.map { "\"\($0)\"" } ?? "null"
        return HTTPResponse(
            status: status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: Data(#"{"error":{"code":"\#(code)","message":"\#(message)","field":\#(field)}}"#.utf8))
    }

    /// What goes over the wire: the head, then the body if there is one.
    /// - Parameters:
    ///   - isHead: The request was `HEAD`: the length is told, the body left out.
    ///   - closing: Adds `Connection: close`.
    ///   - date: For the `Date` field.
    func encoded(isHead: Bool, closing: Bool, date: Date) -> (head: Data, body: Data) {
        let hasNoBody = status < 200 || status == 204 || status == 304
        var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        for field in headers.fields where !Self.reserved.contains(field.name.lowercased()) {
            head += "\(Self.oneLine(field.name)): \(Self.oneLine(field.value))\r\n"
        }
        head += "Date: \(Self.httpDate(date))\r\n"
        if !hasNoBody { head += "Content-Length: \(body.count)\r\n" }
        if status == 101 {
            head += "Connection: Upgrade\r\n"
        } else if closing {
            head += "Connection: close\r\n"
        }
        return (Data((head + "\r\n").utf8), hasNoBody || isHead ? Data() : body)
    }

    private static let reserved: Set = ["content-length", "transfer-encoding", "date", "connection"]

    /// A line break in a value would let whoever chose it add headers and bodies of their own (response splitting).
    private static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : $0 }))
    }

    /// RFC 9110 section 5.6.7, which is in English and GMT everywhere.
    private static func httpDate(_ date: Date) -> String {
        var time = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&time, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(1900 + parts.tm_year) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }

    private static func reason(_ status: Int) -> String { reasons[status] ?? "Status" }

    private static let reasons = [
        100: "Continue", 101: "Switching Protocols", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content",
        206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
        403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout",
        409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 422: "Unprocessable Content", 426: "Upgrade Required",
        428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 507: "Insufficient Storage",
    ]
}
