import Foundation
import Wire

/// The network that the camera is to join.
struct JoinWish: Sendable {
    var ssid: String
    /// Empty for an open network.
    var password: Secret
    /// Whether it hides its name, so that it is in no list.
    var isHidden = false

    /// Refuses what no network is called.
    /// - Throws: ``CommandError/usage(_:)``.
    static func check(ssid: String) throws(CommandError) {
        guard (1...32).contains(ssid.utf8.count) else {
            throw .usage("'--ssid' has 1 to 32 bytes, not \(ssid.utf8.count).")
        }
    }

    /// Refuses at once what no network has and the camera would refuse later.
    /// - Throws: ``CommandError/usage(_:)``, which says nothing of the password but its length.
    func check() throws(CommandError) {
        try Self.check(ssid: ssid)
        try Self.check(password: password)
    }

    /// Refuses what is no network's password; none is one.
    /// - Throws: ``CommandError/usage(_:)``, which says nothing of the password but its length.
    static func check(password: Secret) throws(CommandError) {
        guard !password.isEmpty else { return }
        do throws(WireError) {
            try PairingCredentials.check(password: password)
        } catch {
            throw .usage(
                "This cannot be a network's password: it has 8 to 63 characters of ASCII, or 64 hexadecimal digits; this "
                    + "one has \(password.revealed.count) characters.")
        }
    }
}
