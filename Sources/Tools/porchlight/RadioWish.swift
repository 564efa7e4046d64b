import Foundation

/// What the environment says of the radio.
enum RadioWish {
    /// Refuses a kind of radio that there is not, before anything waits for it.
    /// - Throws: ``CommandError/usage(_:)``.
    static func check(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws(CommandError) {
        guard let wish = environment["PORCHLIGHT_RADIO"], !wish.isEmpty else { return }
        guard ["bluez", "software"].contains(wish.lowercased()) else {
            throw .usage("PORCHLIGHT_RADIO is bluez or software, not '\(wish)'.")
        }
    }
}
