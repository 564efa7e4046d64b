public import Foundation

/// What a client writes to an Improv device's command characteristic.
public enum ImprovCommand: Sendable, Hashable {
    /// Join this network. Answered by a result whose first string, if any, is a page to show next.
    case join(ImprovCredentials)
    /// Blink or beep; has no result.
    case identify
    /// Tell what you are: ``ImprovDeviceInfo``.
    case deviceInfo
    /// List the networks you hear: ``ImprovNetworkReader``.
    case scan
    /// Tell your host name (nil), or be called so from now on; answered by the name in force.
    case hostname(String?)

    /// The first byte of a command and of its result.
    public enum Code: UInt8, Sendable, CaseIterable {
        /// ``ImprovCommand/join(_:)``
        case join = 1
        /// ``ImprovCommand/identify``
        case identify = 2
        /// ``ImprovCommand/deviceInfo``
        case deviceInfo = 3
        /// ``ImprovCommand/scan``
        case scan = 4
        /// ``ImprovCommand/hostname(_:)``
        case hostname = 5
    }

    /// The first byte.
    public var code: Code {
        switch self {
        case .join: .join
        case .identify: .identify
        case .deviceInfo: .deviceInfo
        case .scan: .scan
        case .hostname: .hostname
        }
    }

    /// The bytes to write. They hold the password in clear: Improv encrypts nothing.
    public func encoded() throws(WireError) -> Data {
        let strings: [Data] =
            switch self {
            case .join(let credentials): [credentials.ssid, Data(credentials.password.revealed.utf8)]
            case .hostname(let name): name.map { [Data($0.utf8)] } ?? []
            case .identify, .deviceInfo, .scan: []
            }
        return try ImprovFrame.encode(code.rawValue, strings: strings)
    }

    /// Reads what a client has written, as a device does.
    public init(decoding data: Data) throws(WireError) {
        let (code, strings) = try ImprovFrame.decode(data)
        guard let known = Code(rawValue: code) else {
            throw .value(field: "command", reason: "code \(code) is not known")
        }
        let allowed = known == .join ? 2...2 : known == .hostname ? 0...1 : 0...0
        guard allowed.contains(strings.count) else {
            throw .value(field: "command", reason: "\(strings.count) strings do not go with code \(code)")
        }
        switch known {
        case .join:
            guard let password = String(validating: strings[1], as: UTF8.self) else {
                throw .notText(field: "password")
            }
            self = .join(try ImprovCredentials(ssid: strings[0], password: Secret(password)))
        case .identify: self = .identify
        case .deviceInfo: self = .deviceInfo
        case .scan: self = .scan
        case .hostname:
            guard let name = strings.first else {
                self = .hostname(nil)
                return
            }
            guard let text = String(validating: name, as: UTF8.self) else { throw .notText(field: "host name") }
            self = .hostname(text)
        }
    }
}

/// The network that an Improv device is to join.
///
/// A value of this type has been checked. Less is asked of a password than ``PairingCredentials`` asks, since the device
/// may join what Porchlight's cameras do not: WEP, and networks with a passphrase beyond ASCII.
public struct ImprovCredentials: Sendable, Hashable {
    /// 1 to 32 bytes.
    public let ssid: Data
    /// Empty for an open network, else at most 64 bytes of UTF-8.
    public let password: Secret

    /// Checks the fields.
    /// - Parameter security: What the device said of the network; nil when a person has typed the name.
    public init(ssid: Data, security: WiFiSecurity? = nil, password: Secret) throws(WireError) {
        try PairingCredentials.check(ssid: ssid)
        let length = password.revealed.utf8.count
        let allowed =
            switch security {
            case .open: 0...0
            case .wep: 5...64
            case .wpa, .wpa2, .wpa3: 8...64
            case nil: 0...64
            case .enterprise:
                throw WireError.value(
                    field: "security", reason: "Improv has no room for the user name that this network asks for")
            }
        guard allowed.contains(length) else {
            throw .length(field: "password", actual: length, allowed: allowed)
        }
        self.ssid = ssid
        self.password = password
    }
}
