import Foundation
import Wire

/// The networks a camera has reported, one entry an SSID, in the order in which they were first heard.
///
/// Of two entries with one SSID the stronger stays. The SSID's bytes are kept beside the text that people see.
struct HeardNetworks: Sendable {
    /// A camera hears some dozens; one that tells of more than this is not listened to further.
    private static let limit = 256

    private var networks: [HeardNetwork] = []

    var list: [WifiNetwork] {
        networks.map {
            WifiNetwork(ssid: Self.text($0.ssid), securityProtocol: Int($0.security.rawValue), rssi: $0.rssi)
        }
    }

    mutating func hear(_ network: HeardNetwork) {
        if let index = networks.firstIndex(where: { $0.ssid == network.ssid }) {
            let bands = networks[index].bands.union(network.bands)
            if network.rssi > networks[index].rssi { networks[index] = network }
            networks[index].bands = bands
        } else if networks.count < Self.limit {
            networks.append(network)
        }
    }

    /// Checks what the app wants to write, with the bytes and the security of the network it was chosen from.
    func credentials(_ details: WiFiDetailModel) throws(WireError) -> PairingCredentials {
        guard let region = ServerRegion(nameOrCode: details.region) else {
            throw .value(field: "region", reason: "'\(details.region)' is not a region")
        }
        guard let environment = ServerEnvironment(nameOrCode: details.env) else {
            throw .value(field: "env", reason: "'\(details.env)' is not an environment")
        }
        let chosen = networks.first { Self.text($0.ssid) == details.ssid }
        return try PairingCredentials(
            ssid: chosen?.ssid ?? Data(details.ssid.utf8), security: chosen?.security,
            password: Secret(details.password), sessionKey: Secret(details.sessionKey), region: region,
            environment: environment)
    }

    private static func text(_ ssid: Data) -> String { String(decoding: ssid, as: UTF8.self) }
}
