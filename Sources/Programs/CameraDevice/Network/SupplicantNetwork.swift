import DBus
import Foundation
import Wire

/// The network block that wpa_supplicant is given for credentials: the argument of `AddNetwork`.
struct SupplicantNetwork: Sendable, CustomStringConvertible, CustomReflectable {
    /// The block's fields. They hold the password: never shown.
    let fields: [String: BusValue]
    /// Whether the password may be proved with SAE.
    let offersSAE: Bool

    /// Describes the network.
    /// - Parameters:
    ///   - methods: The key management that the radio and this wpa_supplicant know: `KeyMgmt` of the interface's
    ///     capabilities.
    ///   - retreat: The way back, for a network that is tried; nil for the one that the camera belongs on.
    /// - Throws: ``WiFiError/unsuitable(reason:)`` for a network of a kind that they do not know.
    init(
        _ network: NetworkCredentials, methods: Set<String>, retreat: SupplicantRetreat? = nil
    ) throws(WiFiError) {
        // `scan_ssid`: networks that hide their name are asked for by name.
        var fields: [String: BusValue] = [
            "ssid": .bytes(network.ssid), "scan_ssid": 1,
            "id_str": .string(retreat?.text ?? SupplicantRetreat.mark),
        ]
        let password = network.password.revealed
        let isKey = password.utf8.count == 64
        var offersSAE = false
        switch network.security {
        case .open:
            let knowsOWE = methods.contains("owe")
            fields["key_mgmt"] = knowsOWE ? "NONE OWE" : "NONE"
            if knowsOWE { fields["ieee80211w"] = 1 }
        case .wpa:
            fields["key_mgmt"] = "WPA-PSK"
            fields["psk"] = Self.key(password)
        case .wpa2:
            // SAE proves a passphrase, not the key that was made of one.
            offersSAE = methods.contains("sae") && !isKey
            fields["key_mgmt"] = offersSAE ? "WPA-PSK WPA-PSK-SHA256 SAE" : "WPA-PSK WPA-PSK-SHA256"
            fields["psk"] = Self.key(password)
            fields["proto"] = "RSN"
            fields["ieee80211w"] = 1
        case .wpa3:
            guard methods.contains("sae") else { throw .unsuitable(reason: "this radio does not know WPA3") }
            offersSAE = true
            // Nothing weaker: a station of that name with WPA2 would be let guess the password at leisure.
            fields["key_mgmt"] = "SAE"
            fields["sae_password"] = .string(password)
            fields["proto"] = "RSN"
            fields["ieee80211w"] = 2
        case .wep, .enterprise:
            throw .unsuitable(reason: "cameras join open, WPA, WPA2 and WPA3 networks only")
        }
        self.fields = fields
        self.offersSAE = offersSAE
    }

    // MARK: Descriptions

    /// Which fields there are, not what they hold.
    var description: String { "network block of \(fields.keys.sorted().joined(separator: ", "))" }

    /// The same, so that a dump of a value that holds this one does not show the password either.
    var customMirror: Mirror { Mirror(self, children: ["fields": fields.keys.sorted(), "offersSAE": offersSAE]) }

    /// wpa_supplicant puts text between quotes, which makes it a passphrase; bytes stand as hexadecimal digits, which
    /// makes them a key.
    private static func key(_ password: String) -> BusValue {
        guard password.utf8.count == 64 else { return .string(password) }
        let digits = password.compactMap(\.hexDigitValue)
        return .bytes(
            Data(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }))
    }
}
