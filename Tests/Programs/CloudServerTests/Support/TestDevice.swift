import CryptoKit
import Foundation
import Wire

@testable import CloudServer

/// A camera's identity, made on the spot as a camera makes it.
struct TestDevice: Sendable {
    let key = Curve25519.Signing.PrivateKey()
    var publicKey: Data { key.publicKey.rawRepresentation }
    var id: DeviceID { DeviceID(publicKeyDigest: SHA256.hash(data: publicKey)) }

    func identity(model: String = "Test camera") -> DeviceIdentity {
        DeviceIdentity(id: id, publicKey: publicKey, model: model)
    }

    func registration(_ sessionKey: Secret, model: String = "Test camera") throws -> DeviceRegistration {
        DeviceRegistration(
            sessionKey: sessionKey, deviceId: id, publicKey: publicKey, model: model,
            signature: try key.signature(
                for: DeviceRegistration.signedBytes(sessionKey: sessionKey, deviceId: id)))
    }

    func proof(_ nonce: Data) throws -> CameraSocketMessage {
        .proof(signature: try key.signature(for: CameraSocketMessage.signedBytes(deviceId: id, nonce: nonce)))
    }
}
