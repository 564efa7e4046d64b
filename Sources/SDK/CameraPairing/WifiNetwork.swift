import Wire

/// One network as the camera hears it. Source: seed 000, 'Types'.
public struct WifiNetwork: Sendable, Codable, Hashable {
    /// The name. Bytes that are not UTF-8 are shown as replacement characters; choosing the entry still joins it.
    public var ssid: String
    /// A `WiFiSecurity` code as the camera reported it; 0 is an open network.
    public var securityProtocol: Int
    /// Strength at the camera, in dBm: the number that tells whether the picture will hold.
    public var rssi: Int

    /// Describes a network.
    public init(ssid: String, securityProtocol: Int, rssi: Int) {
        self.ssid = ssid
        self.securityProtocol = securityProtocol
        self.rssi = rssi
    }

    /// No password is needed.
    public var isOpen: Bool { securityProtocol == Int(WiFiSecurity.open.rawValue) }
}
