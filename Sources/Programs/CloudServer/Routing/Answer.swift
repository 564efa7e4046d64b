import Foundation
import WebSockets
import Wire

extension HTTPResponse {
    /// A value as JSON.
    static func json(_ status: Int, _ value: some Encodable) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return HTTPResponse(
                status: status, headers: ["Content-Type": "application/json"], body: try encoder.encode(value))
        } catch {
            preconditionFailure("the wire types always encode: \(error)")
        }
    }

    init(_ refusal: Refusal) {
        self = .json(refusal.status, refusal.error)
        for field in refusal.headers.fields { headers.set(field.name, field.value) }
    }
}
