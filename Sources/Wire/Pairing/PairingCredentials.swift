public import Foundation

/// What a camera needs to join a network and register itself; the meeting point of Bluetooth and QR pairing.
///
/// A value of this type has been checked: every field is within its limits.
public struct PairingCredentials: Sendable, Hashable {
    /// 1 to 32 bytes.
    public let ssid: Data
    /// How the network is protected.
    public let security: WiFiSecurity
    /// Empty for an open network, else 8 to 63 characters of printable ASCII, or 64 hexadecimal digits.
    public let password: Secret
    /// What lets the camera register, 16 to 128 characters of visible ASCII.
    public let sessionKey: Secret
    /// Where to register.
    public let region: ServerRegion
    /// Where to register.
    public let environment: ServerEnvironment

    /// Checks the fields.
    /// - Parameter security: Nil means WPA2 where there is a password, open where there is none.
    public init(
        ssid: Data, security: WiFiSecurity? = nil, password: Secret, sessionKey: Secret, region: ServerRegion,
        environment: ServerEnvironment
    ) throws(WireError) {
        try Self.check(ssid: ssid)
        try Self.check(sessionKey: sessionKey)
        let security = security ?? (password.isEmpty ? .open : .wpa2)
        try Self.check(security: security, password: password)
        self.ssid = ssid
        self.security = security
        self.password = password
        self.sessionKey = sessionKey
        self.region = region
        self.environment = environment
    }

    /// Checks an SSID's length.
    public static func check(ssid: Data) throws(WireError) {
        guard (1...32).contains(ssid.count) else {
            throw .length(field: "ssid", actual: ssid.count, allowed: 1...32)
        }
    }

    /// Checks that cameras join such networks, and that the password is one for them.
    public static func check(security: WiFiSecurity, password: Secret) throws(WireError) {
        switch security {
        case .open:
            guard password.isEmpty else {
                throw .value(field: "password", reason: "an open network has no password")
            }
        case .wpa, .wpa2, .wpa3:
            try check(password: password)
        case .wep, .enterprise:
            throw .value(field: "security", reason: "cameras join open, WPA, WPA2 and WPA3 networks only")
        }
    }

    /// Checks the password of a protected network.
    public static func check(password: Secret) throws(WireError) {
        let bytes = password.revealed.utf8
        guard (8...64).contains(bytes.count) else {
            throw .length(field: "password", actual: bytes.count, allowed: 8...64)
        }
        if bytes.count == 64 {
            // `isHexDigit` alone takes full-width digits too, three bytes each.
            guard password.revealed.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
                throw .value(field: "password", reason: "64 characters are a key in hexadecimal; this is not")
            }
        } else {
            guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw .value(field: "password", reason: "a passphrase is printable ASCII")
            }
        }
    }

    /// Checks a session key's form.
    public static func check(sessionKey: Secret) throws(WireError) {
        let bytes = sessionKey.revealed.utf8
        guard (16...128).contains(bytes.count) else {
            throw .length(field: "sessionKey", actual: bytes.count, allowed: 16...128)
        }
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .value(field: "sessionKey", reason: "a session key is visible ASCII")
        }
    }
}
