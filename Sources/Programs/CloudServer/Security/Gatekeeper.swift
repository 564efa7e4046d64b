import Foundation
import WebSockets
import Wire

/// Lets persons into their spaces, and nobody else anywhere.
struct Gatekeeper: Sendable {
    let store: any Store

    /// No token is longer; a header beyond this is not worth a digest.
    private static let longestToken = 256

    /// Checks the bearer token and that it opens `space`.
    ///
    /// A space that does not exist is answered as one that is another's, so that nobody learns which there are.
    func admit(_ request: HTTPRequest, to space: String) async throws {
        guard let token = Self.bearer(request.headers.values("Authorization")) else {
            throw Refusal(.unauthorized, "A token is needed: send it as Authorization: Bearer, then the token.")
        }
        guard let spaces = try await store.spaces(openedBy: CredentialDigest(of: token)) else {
            throw Refusal(.unauthorized, "The token is not valid. Get a new one from whoever runs this cloud.")
        }
        guard spaces.contains(space) else {
            throw Refusal(.forbidden, "The token is not for this space. Check the space's id.")
        }
    }

    private static func bearer(_ values: [String]) -> Secret? {
        guard values.count == 1, let value = values.first, value.utf8.count <= longestToken else { return nil }
        let parts = value.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return Secret(String(parts[1]))
    }
}
