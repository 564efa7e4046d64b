public import Foundation

/// The fields of pairing as they travel: each a value of bytes that nobody has checked yet.
///
/// In a message each is a code (1 byte), a length (1) and the value; their order is free, none comes twice, and codes that
/// this version does not know are left out. A description never shows a secret.
public struct CredentialFields: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// What a field is, by its code.
    public enum Field: UInt8, Sendable, CaseIterable {
        /// 1 to 32 bytes.
        case ssid = 1
        /// One byte, a ``WiFiSecurity`` code.
        case security = 2
        /// Left out for an open network.
        case password = 3
        /// 16 to 128 bytes of ASCII.
        case sessionKey = 4
        /// A ``ServerRegion`` by name or code.
        case region = 5
        /// A ``ServerEnvironment`` by name or code.
        case environment = 6

        /// The field's characteristic on the standard layout.
        public var characteristic: PairingService.Characteristic {
            switch self {
            case .ssid: .ssid
            case .security: .security
            case .password: .password
            case .sessionKey: .sessionKey
            case .region: .region
            case .environment: .environment
            }
        }
    }

    private var values: [Field: Data] = [:]

    /// The fields of credentials that have been checked.
    public init(_ credentials: PairingCredentials) {
        values[.ssid] = credentials.ssid
        values[.security] = Data([credentials.security.rawValue])
        if !credentials.password.isEmpty { values[.password] = Data(credentials.password.revealed.utf8) }
        values[.sessionKey] = Data(credentials.sessionKey.revealed.utf8)
        values[.region] = Data(credentials.region.rawValue.utf8)
        values[.environment] = Data(credentials.environment.rawValue.utf8)
    }

    /// Those that are there, in the order of their codes: the environment, which applies them, comes last.
    public var all: [(field: Field, value: Data)] {
        Field.allCases.compactMap { field in values[field].map { (field, $0) } }
    }

    /// One of them.
    public subscript(field: Field) -> Data? { values[field] }

    init(_ reader: inout ByteReader) throws(WireError) {
        while !reader.isAtEnd {
            let code = try reader.byte("field")
            let value = try reader.counted("field")
            guard let field = Field(rawValue: code) else { continue }
            guard values.updateValue(value, forKey: field) == nil else {
                throw .value(field: "\(field)", reason: "it came twice")
            }
        }
    }

    var encoded: Data {
        all.reduce(into: Data()) {
            $0 += Data([$1.field.rawValue, UInt8(truncatingIfNeeded: $1.value.count)]) + $1.value
        }
    }

    /// Which fields are there; no value is told.
    public var description: String { "CredentialFields(\(all.map { "\($0.field)" }.joined(separator: ", ")))" }
    /// Shows no value to `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["fields": all.map { "\($0.field)" }]) }
}
