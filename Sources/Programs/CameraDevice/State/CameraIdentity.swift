import CryptoKit
import Foundation
import Wire

/// Who a camera is: an Ed25519 key made on the device, and the id that belongs to it.
///
/// The file has four lines: a format line, the private key in base 64, the device id, and nothing. The id is there so that
/// damage to the key is found: it must follow from the key.
struct CameraIdentity: Sendable, CustomStringConvertible, CustomReflectable {
    /// The file in the state directory.
    static let fileName = "identity"
    private static let format = "porchlight-camera-identity-1"

    /// The id that belongs to the key.
    let deviceID: DeviceID
    private let key: Curve25519.Signing.PrivateKey

    /// The public key's 32 bytes.
    var publicKey: Data { key.publicKey.rawRepresentation }

    /// The id alone.
    var description: String { "CameraIdentity(\(deviceID))" }
    /// Shows the id alone to `dump` and debuggers.
    var customMirror: Mirror { Mirror(self, children: ["deviceID": deviceID]) }

    private init(_ key: Curve25519.Signing.PrivateKey) {
        self.key = key
        deviceID = DeviceID(publicKeyDigest: SHA256.hash(data: key.publicKey.rawRepresentation))
    }

    /// Reads the identity, or makes it on the first start.
    static func loaded(from directory: StateDirectory) throws(CameraError) -> CameraIdentity {
        let path = directory.path(of: fileName)
        let content: Data?
        do {
            content = try directory.read(fileName)
        } catch {
            throw .fileFailed(path: path, reason: error.reason)
        }
        guard let content else { return try made(in: directory) }
        if let mode = directory.mode(of: fileName), mode & 0o077 != 0 { throw .identityExposed(path: path) }
        guard let text = String(validating: content, as: UTF8.self) else {
            throw .identityDamaged(path: path, reason: "it is not text")
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 4, lines[0] == format, lines[3].isEmpty else {
            throw .identityDamaged(path: path, reason: content.isEmpty ? "it is empty" : "its form is not known")
        }
        guard let bytes = Data(base64Encoded: String(lines[1])),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
        else { throw .identityDamaged(path: path, reason: "the key is not one") }
        let identity = CameraIdentity(key)
        guard identity.deviceID.rawValue == lines[2] else {
            throw .identityDamaged(path: path, reason: "the key and the device id do not belong together")
        }
        return identity
    }

    private static func made(in directory: StateDirectory) throws(CameraError) -> CameraIdentity {
        let identity = CameraIdentity(Curve25519.Signing.PrivateKey())
        let lines = [format, identity.key.rawRepresentation.base64EncodedString(), identity.deviceID.rawValue, ""]
        do {
            try directory.replace(fileName, with: Data(lines.joined(separator: "\n").utf8))
        } catch {
            throw .fileFailed(path: directory.path(of: fileName), reason: error.reason)
        }
        return identity
    }

    /// An Ed25519 signature, 64 bytes.
    func signature(for bytes: Data) -> Data {
        do {
            return try key.signature(for: bytes)
        } catch {
            // Ed25519 with a key that was accepted has no failing input.
            preconditionFailure("signing failed: \(error)")
        }
    }
}
