import Foundation

/// Reads networks out of the answers to ``ImprovCommand/scan``.
///
/// Each network is three strings: SSID, strength as a decimal number, protection. A long list comes in several results,
/// and some devices begin a new one in the middle of a network.
public struct ImprovNetworkReader: Sendable {
    /// What one result has completed.
    public struct Reading: Sendable, Equatable {
        /// The networks, in the device's order.
        public var networks: [HeardNetwork] = []
        /// What could not be read as a network; a hidden network is one of these, for it has no SSID.
        public var faults: [WireError] = []
    }

    private var rest: [Data] = []

    /// Waits for the first result of a scan.
    public init() {}

    /// Takes the next result of the scan.
    public mutating func read(_ result: ImprovResult) -> Reading {
        var reading = Reading()
        // An empty result ends a list: what was left unfinished in it is nobody's beginning.
        if result.strings.isEmpty { rest = [] }
        rest += result.strings
        while rest.count >= 3 {
            do throws(WireError) {
                reading.networks.append(try HeardNetwork(improv: rest[0], strength: rest[1], protection: rest[2]))
            } catch {
                reading.faults.append(error)
            }
            rest.removeFirst(3)
        }
        return reading
    }
}

extension HeardNetwork {
    /// Reads a network as an Improv device writes it. Improv tells no bands.
    init(improv ssid: Data, strength: Data, protection: Data) throws(WireError) {
        try PairingCredentials.check(ssid: ssid)
        guard let number = String(validating: strength, as: UTF8.self).flatMap(Int.init), (-128...127).contains(number)
        else {
            throw .value(field: "strength", reason: "not a number from -128 to 127")
        }
        guard let text = String(validating: protection, as: UTF8.self) else { throw .notText(field: "protection") }
        self.init(ssid: ssid, security: WiFiSecurity(improv: text), rssi: number, bands: [])
    }
}

extension WiFiSecurity {
    /// Reads Improv's word for a protection: `NO`, or names such as `WPA2`, several of them with a slash between.
    ///
    /// Of several the strongest counts. A name that is not known (`WAPI`) is told as WPA2: there is a password to ask for.
    init(improv text: String) {
        let names = text.uppercased().split { !$0.isLetter && !$0.isNumber }
        let known: [WiFiSecurity] = names.map { name in
            switch name {
            case "NO", "NONE", "OPEN", "OWE": .open
            case "WEP": .wep
            case "WPA": .wpa
            case "WPA3", "SAE": .wpa3
            case "EAP", "ENTERPRISE": .enterprise
            default: .wpa2
            }
        }
        self = known.max { $0.rawValue < $1.rawValue } ?? .open
    }
}
