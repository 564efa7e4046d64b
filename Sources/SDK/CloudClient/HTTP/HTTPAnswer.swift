import Foundation

/// A complete answer, within its bounds.
struct HTTPAnswer: Sendable {
    var status: Int
    /// Names in lower case; fields that came several times are joined by commas (RFC 9110, section 5.3).
    var fields: [String: String]
    var body: Data
    /// The address that was asked.
    var url: URL

    subscript(_ name: String) -> String? { fields[name.lowercased()] }

    /// `Retry-After` in its form of seconds.
    var retryAfter: Duration? {
        guard let text = self["Retry-After"], let seconds = Int(text.trimmingCharacters(in: .whitespaces)),
            (0...86_400).contains(seconds)
        else { return nil }
        return .seconds(seconds)
    }
}
