/// What the camera needs to join the network and register itself. Source: seed 000, 'Types'.
///
/// Encodes under its field names. A description never shows the password or the session key; do not log the fields.
public struct WiFiDetailModel: Sendable, Codable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The chosen ``WifiNetwork/ssid``.
    public var ssid: String
    /// As the person typed it; empty for an open network.
    public var password: String
    /// From the pairing session.
    public var sessionKey: String
    /// The environment's name, matching the configuration of the cloud client: `production`, `staging` or `dev`.
    public var env: String
    /// From the pairing session.
    public var region: String

    /// Describes the credentials.
    public init(ssid: String, password: String, sessionKey: String, env: String, region: String) {
        self.ssid = ssid
        self.password = password
        self.sessionKey = sessionKey
        self.env = env
        self.region = region
    }

    /// The network, environment and region; the secrets are redacted.
    public var description: String {
        "WiFiDetailModel(ssid: \(ssid), password: <redacted>, sessionKey: <redacted>, env: \(env), region: \(region))"
    }
    /// Shows nothing of the secrets to `dump` and debuggers.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "ssid": ssid, "password": "<redacted>", "sessionKey": "<redacted>", "env": env, "region": region,
            ])
    }
}
