import Foundation
import HTTPClient

extension HTTPClient.Answer {
    /// `Retry-After` in its form of seconds.
    var retryAfter: Duration? {
        guard let text = self["Retry-After"], let seconds = Int(text.trimmingCharacters(in: .whitespaces)),
            (0...86_400).contains(seconds)
        else { return nil }
        return .seconds(seconds)
    }
}
