import CoreBluetooth
import Foundation

/// What the environment says of the radio, and what the person hears when there is none.
enum RadioWish {
    static let advice = """
        Mend that, then start again. PORCHLIGHT_RADIO=software, with a PORCHLIGHT_RADIO_DIR of your own, finds a camera of \
        this machine without an adapter.
        """

    /// Why Bluetooth cannot be used and what mends it, from the radio where it knows.
    static func absence(_ manager: CBManager?) -> String {
        if let reason = manager?.stateReason { return reason }
        return switch manager?.state {
        case .poweredOff: "Bluetooth is switched off: power the adapter on (bluetoothctl power on)"
        case .unauthorized: "this account may not use Bluetooth"
        case .unsupported:
            "there is no Bluetooth radio: start bluetoothd (systemctl start bluetooth), and plug an adapter in"
        default: "the radio has not said whether it can be used"
        }
    }

    /// Refuses a kind of radio that there is not, before anything waits for it.
    /// - Throws: ``CommandError/usage(_:)``.
    static func check(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws(CommandError) {
        guard let wish = environment["PORCHLIGHT_RADIO"], !wish.isEmpty else { return }
        guard ["bluez", "software"].contains(wish.lowercased()) else {
            throw .usage("PORCHLIGHT_RADIO is bluez or software, not '\(wish)'.")
        }
    }
}
