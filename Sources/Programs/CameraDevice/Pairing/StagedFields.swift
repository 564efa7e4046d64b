import Foundation
import Wire

/// The fields that one client has written so far, each checked when it came.
struct StagedFields: Sendable {
    typealias Refusal = PairingService.WriteRefusal

    private var ssid: Data?
    private var security: WiFiSecurity?
    private var password: Secret?
    private var sessionKey: Secret?
    private var region: ServerRegion?

    /// Nothing written.
    init() {}

    /// Checks a field and keeps it; one that came before is replaced.
    /// - Throws: Why the value is refused; then nothing has changed.
    mutating func take(_ value: Data, _ characteristic: PairingService.Characteristic) throws(Refusal) {
        switch characteristic {
        case .ssid:
            try Self.checked { () throws(WireError) in try PairingCredentials.check(ssid: value) }
            ssid = Data(value)
        case .security:
            guard value.count == 1, let byte = value.first else { throw .length }
            guard let security = WiFiSecurity(rawValue: byte), security != .wep, security != .enterprise else {
                throw .value
            }
            self.security = security
        case .password:
            let password = Secret(try Self.text(value, upTo: 64))
            try Self.checked { () throws(WireError) in try PairingCredentials.check(password: password) }
            self.password = password
        case .sessionKey:
            let sessionKey = Secret(try Self.text(value, upTo: 128))
            try Self.checked { () throws(WireError) in try PairingCredentials.check(sessionKey: sessionKey) }
            self.sessionKey = sessionKey
        case .region:
            guard let region = ServerRegion(nameOrCode: try Self.text(value, upTo: 32)) else { throw .value }
            self.region = region
        case .info, .deviceID, .networks, .environment, .status:
            throw .unknownCommand
        }
    }

    /// The credentials, once the last field has come.
    /// - Throws: What is wrong with the environment or with the fields together; they stay staged.
    func applied(with environment: Data) throws(Refusal) -> PairingCredentials {
        guard let environment = ServerEnvironment(nameOrCode: try Self.text(environment, upTo: 32)) else {
            throw .value
        }
        guard let ssid, let sessionKey, let region else { throw .incomplete }
        if password == nil, let security, security != .open { throw .incomplete }
        do {
            return try PairingCredentials(
                ssid: ssid, security: security, password: password ?? Secret(""), sessionKey: sessionKey,
                region: region, environment: environment)
        } catch {
            throw Refusal(error)
        }
    }

    /// The text of a value; its length is looked at before anything is decoded.
    private static func text(_ value: Data, upTo limit: Int) throws(Refusal) -> String {
        guard (1...limit).contains(value.count) else { throw .length }
        guard let text = String(validating: value, as: UTF8.self) else { throw .notText }
        return text
    }

    private static func checked(_ check: () throws(WireError) -> Void) throws(Refusal) {
        do {
            try check()
        } catch {
            throw Refusal(error)
        }
    }
}
