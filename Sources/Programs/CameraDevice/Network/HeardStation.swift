import DBus
import Foundation
import Wire

/// A station (access point) as wpa_supplicant describes it: the properties of `fi.w1.wpa_supplicant1.BSS`.
struct HeardStation: Sendable, Equatable {
    /// What lets a client in; a station may have several.
    struct Entrance: OptionSet, Sendable, Hashable {
        let rawValue: UInt8
        static let open = Entrance(rawValue: 1 << 0)
        /// Encrypted, and open to all: OWE, 'Enhanced Open'.
        static let enhancedOpen = Entrance(rawValue: 1 << 1)
        static let wep = Entrance(rawValue: 1 << 2)
        static let wpa = Entrance(rawValue: 1 << 3)
        static let wpa2 = Entrance(rawValue: 1 << 4)
        static let wpa3 = Entrance(rawValue: 1 << 5)
        /// 802.1X, and whatever else takes more than a password.
        static let enterprise = Entrance(rawValue: 1 << 6)
    }

    /// As the beacon has it: empty or all zeros for a hidden network.
    var ssid: Data
    /// In dBm.
    var signal: Int
    var band: WiFiBands
    var entrances: Entrance
    /// Seconds since it was heard last.
    var age: Int

    /// Reads the properties; nil for what is no station of a network, such as an ad-hoc peer.
    init?(_ properties: [String: BusValue]) {
        guard let ssid = properties["SSID"]?.data, ssid.count <= 32 else { return nil }
        if let mode = properties["Mode"]?.string, mode != "infrastructure" { return nil }
        self.ssid = ssid
        signal = properties["Signal"]?.int ?? -100
        band = Self.band(of: properties["Frequency"]?.int ?? 0)
        age = properties["Age"]?.int ?? 0
        entrances = Self.entrances(properties)
    }

    /// Whether the beacon keeps the name to itself.
    var isHidden: Bool { ssid.allSatisfy { $0 == 0 } }

    /// As the camera reports it. A network that takes WPA2 as well as WPA3 is WPA2: every client can join it so, and
    /// one that knows WPA3 still does.
    var network: HeardNetwork {
        let security: WiFiSecurity =
            if entrances.contains(.wpa2) {
                .wpa2
            } else if entrances.contains(.wpa3) {
                .wpa3
            } else if entrances.contains(.wpa) {
                .wpa
            } else if entrances.contains(.enterprise) {
                .enterprise
            } else if entrances.contains(.wep) {
                .wep
            } else {
                .open
            }
        return HeardNetwork(ssid: ssid, security: security, rssi: signal, bands: band)
    }

    private static func entrances(_ properties: [String: BusValue]) -> Entrance {
        var entrances: Entrance = []
        let wpa = properties["WPA"]?.properties?["KeyMgmt"]?.strings ?? []
        for method in wpa { entrances.insert(method.contains("psk") ? .wpa : .enterprise) }
        let rsn = properties["RSN"]?.properties ?? [:]
        let methods = rsn["KeyMgmt"]?.strings ?? []
        for method in methods {
            if method.contains("psk") {
                entrances.insert(.wpa2)
            } else if method.contains("sae") {
                entrances.insert(.wpa3)
            } else if method.contains("owe") {
                entrances.insert(.enhancedOpen)
            } else {
                entrances.insert(.enterprise)
            }
        }
        // Keys are agreed on in a way that this wpa_supplicant has no name for.
        if methods.isEmpty, !(rsn["Pairwise"]?.strings ?? []).isEmpty { entrances.insert(.enterprise) }
        if entrances.isEmpty { entrances = properties["Privacy"]?.bool == true ? .wep : .open }
        return entrances
    }

    private static func band(of megahertz: Int) -> WiFiBands {
        switch megahertz {
        case 2400..<2500: .twoGigahertz
        case 4900..<5925: .fiveGigahertz
        case 5925...7125: .sixGigahertz
        default: []
        }
    }
}

extension [HeardStation] {
    /// Why a network of this list does not let these credentials in, or nil where one should.
    ///
    /// The stations are those whose SSID is the credentials'; there is at least one.
    func obstacle(to credentials: NetworkCredentials) -> WiFiError? {
        var all: HeardStation.Entrance = []
        for station in self { all.formUnion(station.entrances) }
        let wanted: HeardStation.Entrance =
            switch credentials.security {
            case .open: [.open, .enhancedOpen]
            case .wpa: [.wpa, .wpa2]
            case .wpa2: [.wpa2, .wpa3]
            case .wpa3: .wpa3
            case .wep, .enterprise: []
            }
        guard all.isDisjoint(with: wanted) else { return nil }
        if credentials.security == .open {
            // It has a password, and none was given.
            return all.isDisjoint(with: [.wpa, .wpa2, .wpa3]) ? .unsuitable(reason: "it is not open") : .wrongPassword
        }
        if !all.isDisjoint(with: [.open, .enhancedOpen]) {
            return .unsuitable(reason: "it is open, without a password")
        }
        return .unsuitable(reason: "it is protected in another way")
    }
}
