import Basics
import CryptoKit
import Foundation
import Wire

/// Brings cameras into spaces: sessions, registrations, failures.
struct PairingService: Sendable {
    let store: any Store
    let cameras: CameraHub
    let time: ServerTime
    let credentials: CredentialSource
    let region: ServerRegion
    let keyLife: Duration

    private static let log = Log("cloud.pairing")

    /// Makes a session. Its key is in the answer and nowhere else.
    func createSession(_ request: PairingSessionKeyRequest, space: String) async throws -> PairingSessionKeyModel {
        try check(request.timezoneSettings)
        if case .fourG(let deviceId) = request.sessionType, DeviceID(rawValue: deviceId)?.rawValue != deviceId {
            throw Refusal(
                .badField, "A device id has 27 characters without white space.", field: "sessionType.deviceId")
        }
        let key = credentials.sessionKey()
        let now = time.now
        try await store.createSession(
            PairingSession(
                key: CredentialDigest(of: key), space: space, timezoneSettings: request.timezoneSettings,
                sessionType: request.sessionType, createdAt: now, expiresAt: now + keyLife))
        return PairingSessionKeyModel(
            sessionKey: key.revealed, region: region.rawValue, expiresIn: Int(keyLife / .seconds(1)))
    }

    /// How far a session of this space has come.
    func status(_ request: PairingSessionStatusRequest, space: String) async throws -> PairingSessionStatus {
        let key = CredentialDigest(of: request.sessionKey)
        guard let session = try await store.session(key, space: space) else { throw Self.refusal(.unknown) }
        return session.status(at: time.now)
    }

    /// Attaches a camera to the space of its session.
    func register(_ registration: DeviceRegistration) async throws -> DeviceRegistrationReceipt {
        let identity = try Self.verified(registration)
        let key = CredentialDigest(of: registration.sessionKey)
        switch try await store.redeem(key, by: identity, at: time.now) {
        case .registered(let receipt):
            Self.log.info("camera \(identity.id) has registered")
            // A camera that is paired again proves its key anew: its session is paired when it is back.
            await cameras.reconnect(identity.id)
            return receipt
        case .repeated(let receipt): return receipt
        case .refused(let state): throw Self.refusal(state)
        case .otherDevice:
            throw Refusal(.forbidden, "The pairing session is for another camera. Start a session for this one.")
        case .claimed:
            throw Refusal(.deviceClaimed, PairingFailure.alreadyClaimed.description, field: "deviceId")
        }
    }

    /// Shows the person why the camera of their session failed.
    func report(_ report: PairingFailureReport) async throws {
        let state = try await store.recordFailure(
            report.failure, key: CredentialDigest(of: report.sessionKey), at: time.now)
        guard state == .valid else { throw Self.refusal(state) }
    }

    /// Checks what a camera says about itself before the key is looked at.
    private static func verified(_ registration: DeviceRegistration) throws -> DeviceIdentity {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: registration.publicKey) else {
            throw Refusal(.badField, "publicKey must be the 32 bytes of an Ed25519 key in base 64.", field: "publicKey")
        }
        guard registration.model.utf8.count <= 32,
            registration.model.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw Refusal(.badField, "model is longer than 32 bytes or has control characters.", field: "model")
        }
        guard DeviceID(publicKeyDigest: SHA256.hash(data: registration.publicKey)) == registration.deviceId else {
            throw Refusal(.badSignature, "The device id does not belong to the public key.", field: "deviceId")
        }
        let signed = DeviceRegistration.signedBytes(
            sessionKey: registration.sessionKey, deviceId: registration.deviceId)
        guard key.isValidSignature(registration.signature, for: signed) else {
            throw Refusal(
                .badSignature, "The signature does not verify. Sign the registration with the device's own key.",
                field: "signature")
        }
        return DeviceIdentity(
            id: registration.deviceId, publicKey: registration.publicKey, model: registration.model)
    }

    private static func refusal(_ state: KeyState) -> Refusal {
        switch state {
        case .unknown, .valid:
            Refusal(.sessionKeyUnknown, "No pairing session has this key. Start pairing again.", field: "sessionKey")
        case .used:
            Refusal(
                .sessionKeyUsed, "The pairing session's key has been used. Start pairing again.", field: "sessionKey")
        case .expired:
            Refusal(.sessionKeyExpired, "The pairing session has expired. Start pairing again.", field: "sessionKey")
        }
    }

    private func check(_ settings: TimezoneSettings) throws {
        // What a camera can hold; whether the zone exists is the camera's to know.
        let fields = [("id", settings.id), ("tzFormat", settings.tzFormat)]
        for (name, value) in fields
        where !(1...64).contains(value.utf8.count) || !value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            throw Refusal(
                .badField, "\(name) must be 1 to 64 visible ASCII characters.", field: "timezoneSettings.\(name)")
        }
    }
}
