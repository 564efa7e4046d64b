public import Foundation

extension HTTPClient {
    /// What is asked, and how much of an answer is taken.
    ///
    /// Printing shows the method and nothing else: addresses, headers and bodies carry secrets.
    public struct Request: Sendable, CustomStringConvertible, CustomReflectable {
        /// A token of RFC 9110, in capitals by custom. `CONNECT` is refused.
        public var method: String
        /// An absolute `http` or `https` address without a user name. A fragment is not sent.
        public var url: URL
        /// Header fields. `Host`, `Connection`, `Content-Length`, `Expect` and `Transfer-Encoding` are the client's own and
        /// refused here, as are line breaks and other control characters in values.
        public var headers: [String: String] = [:]
        /// The body. An empty one is sent with its length, zero; nil sends none.
        public var body: Data?
        /// The longest body of an answer that is read, in bytes.
        public var maximumAnswerBytes: Int
        /// How long it all may take, waiting for a free connection included. It is measured by the system's clock.
        public var timeout: Duration

        /// A request.
        public init(
            _ method: String, _ url: URL, maximumAnswerBytes: Int = 1 << 20, timeout: Duration = .seconds(60)
        ) {
            self.method = method
            self.url = url
            self.maximumAnswerBytes = maximumAnswerBytes
            self.timeout = timeout
        }

        /// The method.
        public var description: String { "\(method) request" }
        /// Shows the method alone to `dump` and debuggers.
        public var customMirror: Mirror { Mirror(self, children: ["method": method]) }
    }
}
