import Foundation
import Wire

/// Reads JSON bodies, and says of a bad one which field is at fault.
enum RequestBody {
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws(Refusal) -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch DecodingError.keyNotFound(let key, let context) {
            let field = path(context.codingPath + [key])
            throw Refusal(.badField, "\(field) is missing.", field: field)
        } catch DecodingError.valueNotFound(let type, let context) {
            throw wrongType(type, at: context.codingPath, found: "null")
        } catch DecodingError.typeMismatch(let type, let context) {
            throw wrongType(type, at: context.codingPath, found: "something else")
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            let field = path(context.codingPath)
            throw Refusal(.badField, "\(field) has a value that is not allowed.", field: field)
        } catch {
            // What the decoder says may quote the body, and with it a secret.
            throw Refusal(.notJSON, "The body is not JSON. Send one JSON object as UTF-8.")
        }
    }

    private static func wrongType(_ type: any Any.Type, at codingPath: [any CodingKey], found: String) -> Refusal {
        let expected =
            switch type {
            case is String.Type: "text"
            case is Bool.Type: "true or false"
            case is any FixedWidthInteger.Type: "a whole number"
            case is Data.Type: "text in base 64"
            case is [Any].Type: "a list"
            default: "an object"
            }
        guard !codingPath.isEmpty else {
            return Refusal(.badField, "The body must be one JSON object.")
        }
        let field = path(codingPath)
        return Refusal(.badField, "\(field) must be \(expected), not \(found).", field: field)
    }

    /// `timezoneSettings.id`, `urls[0]`.
    private static func path(_ codingPath: [any CodingKey]) -> String {
        codingPath.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
    }
}
