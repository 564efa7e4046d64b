public import Foundation

/// The text of the code that an app shows and a camera reads: five lines.
///
/// SSID, password (an empty line for an open network), session key, region code, environment code. Source: seed 001,
/// 'The QR payload'. A value that contains a line feed or carriage return cannot be carried and is refused by name.
public enum QRPayload {
    /// The longest text accepted: the five largest fields and their separators, with room for a trailing line feed.
    public static let maximumBytes = 256

    /// The text to render.
    public static func encode(_ credentials: PairingCredentials) throws(WireError) -> Secret {
        guard let ssid = String(validating: credentials.ssid, as: UTF8.self) else { throw .notText(field: "ssid") }
        let values = [
            ssid, credentials.password.revealed, credentials.sessionKey.revealed, credentials.region.code,
            credentials.environment.code,
        ]
        for (field, value) in zip(fields, values) where value.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            throw Self.lineBreak(in: field)
        }
        return Secret(values.joined(separator: "\n"))
    }

    /// Reads what the lens saw. One trailing line feed is allowed, since some encoders add it.
    public static func decode(_ data: Data) throws(WireError) -> PairingCredentials {
        guard data.count <= maximumBytes else {
            throw .length(field: "code", actual: data.count, allowed: 1...maximumBytes)
        }
        // Divided as bytes: to a String's characters, a carriage return and a line feed are one character.
        var lines = Array(data).split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.count == 6, lines[5].isEmpty { lines.removeLast() }
        guard lines.count == fields.count else { throw .lines(lines.count) }
        var values: [String] = []
        for (field, line) in zip(fields, lines) {
            guard !line.contains(0x0D) else { throw Self.lineBreak(in: field) }
            guard let value = String(validating: line, as: UTF8.self) else { throw .notText(field: field) }
            values.append(value)
        }
        guard let region = ServerRegion(nameOrCode: values[3]) else {
            throw .value(field: fields[3], reason: "not a region code")
        }
        guard let environment = ServerEnvironment(nameOrCode: values[4]) else {
            throw .value(field: fields[4], reason: "not an environment code")
        }
        return try PairingCredentials(
            ssid: Data(lines[0]), password: Secret(values[1]), sessionKey: Secret(values[2]), region: region,
            environment: environment)
    }

    private static let fields = ["ssid", "password", "sessionKey", "region", "env"]

    private static func lineBreak(in field: String) -> WireError {
        .value(field: field, reason: "it contains a line break, which a pairing code cannot carry")
    }
}
