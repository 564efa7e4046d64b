/// A new pairing session: the answer to ``PairingSessionKeyRequest``.
///
/// The key is what lets a camera register itself in the space; whoever has it within its life can use it once. It is
/// left out of every description.
public struct PairingSessionKeyModel: Sendable, Hashable, Codable, CustomStringConvertible, CustomReflectable {
    /// The secret to hand to the camera.
    public var sessionKey: String
    /// The region to hand to the camera, by name.
    public var region: String
    /// Seconds until the key expires, counted from the answer.
    public var expiresIn: Int

    /// Describes a session.
    public init(sessionKey: String, region: String, expiresIn: Int) {
        self.sessionKey = sessionKey
        self.region = region
        self.expiresIn = expiresIn
    }

    /// The region and the life, without the key.
    public var description: String {
        "PairingSessionKeyModel(sessionKey: <redacted>, region: \(region), expiresIn: \(expiresIn))"
    }
    /// Shows nothing of the key to `dump` and debuggers.
    public var customMirror: Mirror {
        Mirror(self, children: ["sessionKey": "<redacted>", "region": region, "expiresIn": expiresIn])
    }
}
