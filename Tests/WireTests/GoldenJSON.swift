import Foundation
import Testing

/// The JSON of a value with its keys in order, so that a test can pin it as a literal.
func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

func value<Value: Decodable>(_ type: Value.Type = Value.self, fromJSON text: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
}

/// Expects that `value` is written as `text` and that `text` is read as `value`.
func expectJSON<Value: Codable & Equatable>(
    _ value: Value, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try json(value) == text, sourceLocation: sourceLocation)
    #expect(try JSONDecoder().decode(Value.self, from: Data(text.utf8)) == value, sourceLocation: sourceLocation)
}

/// Expects that reading `text` fails at `field`; an empty name means the message as a whole.
func expectBadField<Value: Decodable>(
    _ type: Value.Type, _ field: String, in text: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    do {
        _ = try JSONDecoder().decode(type, from: Data(text.utf8))
        Issue.record("\(text) was accepted", sourceLocation: sourceLocation)
    } catch let error as DecodingError {
        let path: [any CodingKey] =
            switch error {
            case .keyNotFound(let key, let context): context.codingPath + [key]
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            @unknown default: []
            }
        #expect(path.map(\.stringValue).joined(separator: ".") == field, sourceLocation: sourceLocation)
    } catch {
        Issue.record("not a decoding error: \(error)", sourceLocation: sourceLocation)
    }
}
