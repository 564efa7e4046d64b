public import Foundation

extension HTTPClient {
    /// A complete answer, within its bounds.
    public struct Answer: Sendable {
        /// 200 to 999.
        public var status: Int
        /// Names in lower case; fields that came several times are joined by commas (RFC 9110, section 5.3).
        public var fields: [String: String]
        /// The content; empty where ``isRedirection``, since it is not read then.
        public var body: Data
        /// The address that was asked.
        public var url: URL

        /// An answer.
        public init(status: Int, fields: [String: String], body: Data, url: URL) {
            self.status = status
            self.fields = fields
            self.body = body
            self.url = url
        }

        /// A field's value, by its name in any case.
        public subscript(_ name: String) -> String? { fields[name.lowercased()] }

        /// Whether the server sends the request to another address (RFC 9110, section 15.4).
        public var isRedirection: Bool { Self.redirects(status) && fields["location"] != nil }

        /// Where a redirection leads; nil where there is none, or its `Location` is no address.
        public var redirectionTarget: URL? {
            guard isRedirection, let location = fields["location"] else { return nil }
            return URL(string: location, relativeTo: url)?.absoluteURL
        }

        /// Whether the server asks for a user name and a password: status 401 with a challenge of the scheme Basic, Digest
        /// or NTLM (RFC 9110, section 11.6.1).
        public var asksForPassword: Bool {
            guard status == 401, let challenges = fields["www-authenticate"] else { return false }
            // What stands in quotes is text: without it, each challenge begins with its scheme.
            let bare = challenges.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
            return bare.split(separator: ",").contains { part in
                let scheme = part.split(whereSeparator: { $0 == " " || $0 == "\t" }).first
                return ["basic", "digest", "ntlm"].contains(scheme?.lowercased())
            }
        }

        /// Whether a status with a `Location` is a redirection.
        static func redirects(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }
    }
}
