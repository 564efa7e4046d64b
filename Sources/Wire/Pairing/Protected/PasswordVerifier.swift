import CryptoKit
public import Foundation

/// What a camera keeps of one password, to check that a client knows it: the salt, the cost and SPAKE2+'s record.
///
/// The code cannot be had back but by trying all of them, at the cost of scrypt each. Whoever has these bytes can do that in
/// peace and can pose as the camera: they belong into a file that only the camera reads. Printing shows no secrets.
public struct PasswordVerifier: Sendable, CustomStringConvertible, CustomReflectable {
    private static let version: UInt8 = 1

    /// Which password this is of.
    public let kind: ExchangeRequest.PasswordKind
    /// The parameters that the camera's welcome has to name.
    public let stretching: ExchangeWelcome.Stretching
    /// The camera's id, which its welcome has to name.
    public let deviceID: DeviceID?
    let record: SPAKE2Plus.RegistrationRecord

    /// Makes the verifier of a code, or of no code. Takes as long as the stretching costs, some 50 ms: call it where
    /// nothing waits.
    /// - Parameters:
    ///   - code: Nil is the empty password.
    ///   - stretching: The same for both kinds, since a welcome names one.
    ///   - deviceID: The camera's.
    /// - Throws: ``ProtectedPairingError/unusable(_:)`` for parameters that clients refuse;
    ///   ``ProtectedPairingError/library(_:)`` when memory runs out.
    public init(
        code: SetupCode?, stretching: ExchangeWelcome.Stretching, deviceID: DeviceID?
    ) throws(ProtectedPairingError) {
        let secret = try stretching.stretch(code, deviceID: deviceID)
        do { record = try secret.registrationRecord() } catch { throw ProtectedPairingError(error) }
        kind = code == nil ? .none : .setupCode
        self.stretching = stretching
        self.deviceID = deviceID
    }

    /// Reads what ``encoded`` gave.
    /// - Throws: ``ProtectedPairingError/unusable(_:)`` for anything else.
    public init(decoding data: Data) throws(ProtectedPairingError) {
        do { try self.init(data) } catch { throw .unusable(error) }
    }

    private init(_ data: Data) throws(WireError) {
        var reader = ByteReader(data)
        let version = try reader.byte("version")
        guard version == Self.version else { throw .version(Int(version)) }
        guard let kind = ExchangeRequest.PasswordKind(rawValue: try reader.byte("password kind")) else {
            throw .value(field: "password kind", reason: "it is not known")
        }
        self.kind = kind
        let id = try reader.counted("device id")
        deviceID = id.isEmpty ? nil : String(validating: id, as: UTF8.self).flatMap { DeviceID(rawValue: $0) }
        guard Data((deviceID?.rawValue ?? "").utf8) == id else {
            throw .value(field: "device id", reason: "it is none")
        }
        stretching = ExchangeWelcome.Stretching(
            salt: try reader.counted("salt"), logN: try reader.byte("N"), r: try reader.byte("r"),
            p: try reader.byte("p"))
        try stretching.check()
        let raw = try reader.bytes(SPAKE2Plus.RegistrationRecord.byteCount, "record")
        do { record = try SPAKE2Plus.RegistrationRecord(rawRepresentation: raw) } catch {
            throw .value(field: "record", reason: error.description)
        }
        try reader.end("verifier")
    }

    /// The bytes to keep: version (1), kind (1), device id (length 1), salt (length 1), log2 N, r, p, record (97).
    public var encoded: Data {
        let id = Data((deviceID?.rawValue ?? "").utf8)
        var bytes = Data([Self.version, kind.rawValue, UInt8(id.count)]) + id
        bytes += Data([UInt8(stretching.salt.count)]) + stretching.salt
        bytes += [stretching.logN, stretching.r, stretching.p]
        return bytes + record.rawRepresentation
    }

    /// Whose it is, without the record.
    public var description: String {
        "PasswordVerifier(\(kind), \(deviceID?.rawValue ?? "no device id"), <redacted>)"
    }
    /// Shows nothing of the record to `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind, "record": "<redacted>"]) }
}
