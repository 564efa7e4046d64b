public import Foundation

/// A camera registers itself: the body of `POST /v1/devices`.
public struct DeviceRegistration: Sendable, Hashable, Codable {
    /// The key the app handed over; used up by this call when it succeeds.
    public var sessionKey: Secret
    /// The id that belongs to the public key.
    public var deviceId: DeviceID
    /// The Ed25519 public key, 32 bytes in base 64.
    public var publicKey: Data
    /// The maker's name for the model, at most 32 bytes.
    public var model: String
    /// Ed25519 over ``signedBytes(sessionKey:deviceId:)``, 64 bytes in base 64: the camera holds the private key.
    public var signature: Data

    /// Describes a registration.
    public init(sessionKey: Secret, deviceId: DeviceID, publicKey: Data, model: String, signature: Data) {
        self.sessionKey = sessionKey
        self.deviceId = deviceId
        self.publicKey = publicKey
        self.model = model
        self.signature = signature
    }

    /// What the signature covers: a purpose line, the device id and the session key, separated by line feeds.
    public static func signedBytes(sessionKey: Secret, deviceId: DeviceID) -> Data {
        Data("porchlight-registration-1\n\(deviceId.rawValue)\n\(sessionKey.revealed)".utf8)
    }
}

/// The answer to ``DeviceRegistration``, with status 201.
public struct DeviceRegistrationReceipt: Sendable, Hashable, Codable {
    /// The id as registered.
    public var deviceId: DeviceID
    /// What the space calls the device.
    public var name: String
    /// The time zone chosen by the person who paired it.
    public var timezoneSettings: TimezoneSettings

    /// Describes a receipt.
    public init(deviceId: DeviceID, name: String, timezoneSettings: TimezoneSettings) {
        self.deviceId = deviceId
        self.name = name
        self.timezoneSettings = timezoneSettings
    }
}
