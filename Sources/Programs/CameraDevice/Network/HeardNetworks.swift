import Foundation
import Wire

/// What makes two entries of a scan the same network.
private struct NetworkKey: Hashable {
    var ssid: Data
    var security: WiFiSecurity
}

extension [HeardNetwork] {
    /// One entry for each SSID and protection, with the strongest signal and all bands on which it was heard; strongest
    /// first, at most `limit`. Entries whose SSID is empty (hidden networks) or too long are left out.
    func merged(limit: Int = 512) -> [HeardNetwork] {
        var merged: [NetworkKey: HeardNetwork] = [:]
        for network in self where (1...32).contains(network.ssid.count) {
            let key = NetworkKey(ssid: network.ssid, security: network.security)
            var entry = merged[key] ?? network
            entry.rssi = Swift.max(entry.rssi, network.rssi)
            entry.bands.formUnion(network.bands)
            merged[key] = entry
        }
        // Equal strengths go by name, so that a list looks the same at every scan.
        let sorted = merged.values.sorted {
            $0.rssi == $1.rssi ? $0.ssid.lexicographicallyPrecedes($1.ssid) : $0.rssi > $1.rssi
        }
        return Array(sorted.prefix(limit))
    }
}
