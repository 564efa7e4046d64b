/// A device of a space: the answer of `GET /v1/spaces/{spaceId}/devices/{deviceId}`.
public struct DeviceModel: Sendable, Hashable, Codable {
    /// 27 characters.
    public var deviceId: String
    /// The space it belongs to.
    public var spaceId: String
    /// What people call it.
    public var name: String
    /// The maker's name for the model.
    public var model: String
    /// `paired` or `activated` once it is usable.
    public var pairingStatus: DeviceAuthStatus
    /// Its connection to the cloud is up.
    public var online: Bool
    /// It sleeps and can be woken.
    public var asleep: Bool
    /// Its lens is closed by its owner.
    public var privacy: Bool
    /// Its Ed25519 public key, 32 bytes in base 64.
    public var publicKey: String

    /// Describes a device.
    public init(
        deviceId: String, spaceId: String, name: String, model: String, pairingStatus: DeviceAuthStatus, online: Bool,
        asleep: Bool, privacy: Bool, publicKey: String
    ) {
        self.deviceId = deviceId
        self.spaceId = spaceId
        self.name = name
        self.model = model
        self.pairingStatus = pairingStatus
        self.online = online
        self.asleep = asleep
        self.privacy = privacy
        self.publicKey = publicKey
    }
}
