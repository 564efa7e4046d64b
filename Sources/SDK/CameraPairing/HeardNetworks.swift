import Foundation
import Wire

/// The networks a camera has reported, one entry an SSID, in the order in which they were first heard.
///
/// Of two entries with one SSID the stronger stays. The SSID's bytes are kept beside the text that people see.
struct HeardNetworks: Sendable {
    /// The most crowded places have some hundreds; one that tells of more than this is not listened to further.
    static let limit = 1024

    /// As people see them.
    private(set) var list: [WifiNetwork] = []
    /// How many were told of, repetitions included.
    private(set) var records = 0
    private var networks: [HeardNetwork] = []
    private var places: [Data: Int] = [:]

    mutating func hear(_ network: HeardNetwork) {
        records += 1
        guard let place = places[network.ssid] else {
            // A hidden network has no name to choose it by.
            guard networks.count < Self.limit, !network.ssid.isEmpty else { return }
            places[network.ssid] = networks.count
            networks.append(network)
            list.append(Self.shown(network))
            return
        }
        let bands = networks[place].bands.union(network.bands)
        if network.rssi > networks[place].rssi { networks[place] = network }
        networks[place].bands = bands
        list[place] = Self.shown(networks[place])
    }

    /// Checks what the app wants to write, with the bytes and the security of the network it was chosen from. Where
    /// several names look the same, since their bytes are not UTF-8, it is the strongest.
    func credentials(_ details: WiFiDetailModel, for recipient: PairingProtocol) throws(WireError) -> CameraCredentials
    {
        let chosen =
            list.indices.filter { list[$0].ssid == details.ssid }.max { networks[$0].rssi < networks[$1].rssi }
            .map { networks[$0] }
        let ssid = chosen?.ssid ?? Data(details.ssid.utf8)
        let password = Secret(details.password)
        if recipient == .improv {
            return .improv(try ImprovCredentials(ssid: ssid, security: chosen?.security, password: password))
        }
        guard let region = ServerRegion(nameOrCode: details.region) else {
            throw .value(field: "region", reason: "'\(details.region)' is not a region")
        }
        guard let environment = ServerEnvironment(nameOrCode: details.env) else {
            throw .value(field: "env", reason: "'\(details.env)' is not an environment")
        }
        return .porchlight(
            try PairingCredentials(
                ssid: ssid, security: chosen?.security, password: password, sessionKey: Secret(details.sessionKey),
                region: region, environment: environment))
    }

    private static func shown(_ network: HeardNetwork) -> WifiNetwork {
        WifiNetwork(
            ssid: String(decoding: network.ssid, as: UTF8.self), securityProtocol: Int(network.security.rawValue),
            rssi: network.rssi)
    }
}
