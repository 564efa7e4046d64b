import Foundation
import Wire

extension CloudConnection {
    /// Returns when the server says that it and its storage answer. Anybody may ask.
    /// - Throws: ``CloudError/unexpectedAnswer(status:reason:)`` where something else than a Porchlight cloud answers.
    package func checkHealth() async throws(CloudError) {
        struct Health: Decodable { var status: String }
        let health = try await value(Health.self, of: .get(CloudRoute.health), expecting: [200])
        guard health.status == "ok" else {
            throw .unexpectedAnswer(status: 200, reason: "its status is '\(health.status)'")
        }
    }
}
