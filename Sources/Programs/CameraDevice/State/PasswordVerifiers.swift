import Foundation
import Wire

/// What a camera keeps of the passwords of protected pairing: of its setup code, and of the empty one. Never the code itself.
///
/// The file has four lines: a format line, the verifier of the code and that of no code in base 64, and nothing. They belong
/// to the device id: with a new identity comes a new code.
struct PasswordVerifiers: Sendable {
    /// The file in the state directory.
    static let fileName = "setup-code"
    private static let format = "porchlight-camera-setup-code-1"

    private let setupCode: PasswordVerifier
    private let none: PasswordVerifier

    /// The verifiers of a code, and of no code. Takes long, since both are stretched.
    init(
        _ code: SetupCode, deviceID: DeviceID, stretching: ExchangeWelcome.Stretching = .fresh()
    ) throws(ProtectedPairingError) {
        setupCode = try PasswordVerifier(code: code, stretching: stretching, deviceID: deviceID)
        none = try PasswordVerifier(code: nil, stretching: stretching, deviceID: deviceID)
    }

    private init?(setupCode: PasswordVerifier, none: PasswordVerifier) {
        guard setupCode.kind == .setupCode, none.kind == .none, setupCode.stretching == none.stretching,
            setupCode.deviceID == none.deviceID
        else { return nil }
        (self.setupCode, self.none) = (setupCode, none)
    }

    /// How both passwords are stretched.
    var stretching: ExchangeWelcome.Stretching { setupCode.stretching }

    /// The verifier of one of them.
    subscript(kind: ExchangeRequest.PasswordKind) -> PasswordVerifier {
        switch kind {
        case .none: none
        case .setupCode: setupCode
        }
    }

    /// Reads them, or makes them on the first start, unsaved.
    /// - Parameter renewing: Whether there is to be another code whatever is there.
    /// - Returns: The verifiers; and the code where it was made now: save them, and tell it, which can be done this once.
    static func loaded(
        from directory: StateDirectory, for identity: CameraIdentity, renewing: Bool = false
    ) throws(CameraError) -> (PasswordVerifiers, SetupCode?) {
        if !renewing, let kept = try read(from: directory), kept.setupCode.deviceID == identity.deviceID {
            return (kept, nil)
        }
        let code = SetupCode.random()
        do {
            return (try PasswordVerifiers(code, deviceID: identity.deviceID), code)
        } catch {
            throw .setupCodeFailed(reason: "\(error)")
        }
    }

    /// Writes them, whole or not at all.
    func save(in directory: StateDirectory) throws(CameraError) {
        let lines = [
            Self.format, setupCode.encoded.base64EncodedString(), none.encoded.base64EncodedString(), "",
        ]
        do {
            try directory.replace(Self.fileName, with: Data(lines.joined(separator: "\n").utf8))
        } catch {
            throw .fileFailed(path: directory.path(of: Self.fileName), reason: error.reason)
        }
    }

    private static func read(from directory: StateDirectory) throws(CameraError) -> PasswordVerifiers? {
        let path = directory.path(of: fileName)
        let content: Data?
        do {
            content = try directory.read(fileName)
        } catch {
            throw .fileFailed(path: path, reason: error.reason)
        }
        guard let content else { return nil }
        if let mode = directory.mode(of: fileName), mode & 0o077 != 0 { throw .setupCodeExposed(path: path) }
        let lines = String(decoding: content, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 4, lines[0] == format, lines[3].isEmpty,
            let code = Data(base64Encoded: String(lines[1])), let none = Data(base64Encoded: String(lines[2])),
            let setupCode = try? PasswordVerifier(decoding: code), let empty = try? PasswordVerifier(decoding: none),
            let verifiers = PasswordVerifiers(setupCode: setupCode, none: empty)
        else { throw .setupCodeDamaged(path: path) }
        return verifiers
    }
}
