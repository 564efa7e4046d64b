public import Foundation
public import Wire

/// What it takes to join a network, and what a camera remembers of the one it is on.
///
/// A value of this type has been checked, also one that was read from a file.
public struct NetworkCredentials: Sendable, Hashable, Codable {
    /// 1 to 32 bytes.
    public let ssid: Data
    /// How the network is protected: one of those that cameras join.
    public let security: WiFiSecurity
    /// Empty for an open network, else 8 to 63 characters of printable ASCII, or 64 hexadecimal digits.
    public let password: Secret

    /// Takes the network's part out of the credentials of a pairing.
    public init(_ credentials: PairingCredentials) {
        ssid = credentials.ssid
        security = credentials.security
        password = credentials.password
    }

    private enum CodingKeys: CodingKey {
        case ssid, security, password
    }

    /// Reads what ``encode(to:)`` wrote.
    /// - Throws: `WireError` for a field that is outside its limits, besides what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        ssid = try container.decode(Data.self, forKey: .ssid)
        security = try container.decode(WiFiSecurity.self, forKey: .security)
        password = try container.decode(Secret.self, forKey: .password)
        try PairingCredentials.check(ssid: ssid)
        try PairingCredentials.check(security: security, password: password)
    }

    /// Writes the fields, the SSID in base 64, the password in the clear: only for the camera's own storage.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(ssid, forKey: .ssid)
        try container.encode(security, forKey: .security)
        try container.encode(password, forKey: .password)
    }

    /// The SSID for a person to read: what is not UTF-8 or would control a terminal is shown as `�`.
    public var networkName: String { ssid.networkName }
}

extension PairingCredentials {
    /// The SSID for a person to read.
    var networkName: String { ssid.networkName }
}

extension Data {
    /// An SSID for a person to read: what is not UTF-8 or would control a terminal is shown as `�`.
    var networkName: String {
        let text = String(decoding: self, as: UTF8.self)
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}
