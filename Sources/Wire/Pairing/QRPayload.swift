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
        let lines = [
            ("ssid", ssid), ("password", credentials.password.revealed),
            ("sessionKey", credentials.sessionKey.revealed), ("region", credentials.region.code),
            ("env", credentials.environment.code),
        ]
        for (field, value) in lines where value.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            throw .value(field: field, reason: "it contains a line break, which a pairing code cannot carry")
        }
        return Secret(lines.map(\.1).joined(separator: "\n"))
    }

    /// Reads what the lens saw.
    public static func decode(_ data: Data) throws(WireError) -> PairingCredentials {
        guard data.count <= maximumBytes else {
            throw .length(field: "code", actual: data.count, allowed: 1...maximumBytes)
        }
        guard let text = String(validating: data, as: UTF8.self) else { throw .notText(field: "code") }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 5 else { throw .lines(lines.count) }
        guard let region = ServerRegion(nameOrCode: String(lines[3])) else {
            throw .value(field: "region", reason: "not a region code")
        }
        guard let environment = ServerEnvironment(nameOrCode: String(lines[4])) else {
            throw .value(field: "env", reason: "not an environment code")
        }
        return try PairingCredentials(
            ssid: Data(lines[0].utf8), password: Secret(String(lines[1])), sessionKey: Secret(String(lines[2])),
            region: region, environment: environment)
    }
}
