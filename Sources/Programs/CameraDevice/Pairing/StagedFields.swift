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

    /// Checks fields that came all at once.
    /// - Throws: Why they are refused, and the field at fault; for fields that are missing or contradict each other, the
    ///   one that mends it.
    static func credentials(from fields: CredentialFields) throws(ExchangeRefusal) -> PairingCredentials {
        var staged = StagedFields()
        for (field, value) in fields.all where field != .environment {
            do throws(Refusal) {
                try staged.take(value, field.characteristic)
            } catch {
                throw ExchangeRefusal(error, field: field)
            }
        }
        guard let environment = fields[.environment] else {
            throw ExchangeRefusal(.incomplete, field: staged.missing ?? .environment)
        }
        do throws(Refusal) {
            return try staged.applied(with: environment)
        } catch .incomplete {
            throw ExchangeRefusal(.incomplete, field: staged.missing)
        } catch {
            let isPlace = Self.environment(environment) == nil
            throw ExchangeRefusal(error, field: isPlace ? .environment : .password)
        }
    }

    /// The first field that is needed and not there.
    private var missing: CredentialFields.Field? {
        if ssid == nil { return .ssid }
        if password == nil, let security, security != .open { return .password }
        if sessionKey == nil { return .sessionKey }
        return region == nil ? .region : nil
    }

    private static func environment(_ value: Data) -> ServerEnvironment? {
        (try? text(value, upTo: 32)).flatMap { ServerEnvironment(nameOrCode: $0) }
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
