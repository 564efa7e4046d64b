/// How a Wi-Fi network is protected: the code a camera reports and is told.
public enum WiFiSecurity: UInt8, Sendable, Hashable, Codable, CaseIterable {
    /// No password.
    case open = 0
    /// WEP: listed so that it can be shown; cameras do not join it.
    case wep = 1
    /// WPA with a pre-shared key.
    case wpa = 2
    /// WPA2 with a pre-shared key.
    case wpa2 = 3
    /// WPA3, simultaneous authentication of equals.
    case wpa3 = 4
    /// Any 802.1X network: listed so that it can be shown; cameras do not join it.
    case enterprise = 5
}
