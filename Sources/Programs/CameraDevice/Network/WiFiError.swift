public import Wire

/// Why a camera's Wi-Fi cannot do something. Holds no secret.
public enum WiFiError: Error, Sendable, Equatable, CustomStringConvertible {
    /// wpa_supplicant cannot be reached over D-Bus.
    case noSupplicant(reason: String)
    /// wpa_supplicant does not take the interface.
    case noInterface(name: String, reason: String)
    /// Another program, named, manages the interface; two would fight over it.
    case managed(interface: String, by: String)
    /// The radio is switched off.
    case radioOff(interface: String)
    /// The networks cannot be listed.
    case scanFailed(reason: String)
    /// The network refused the password.
    case wrongPassword
    /// The network was not heard.
    case networkNotFound
    /// The network is there and these credentials cannot be its own, or this radio cannot join its kind.
    case unsuitable(reason: String)
    /// The network was heard, and did not let the camera in.
    case timedOut
    /// The camera was let in and got no address.
    case noAddress
    /// wpa_supplicant refused a command.
    case refused(reason: String)
    /// Joining was given up before it came to an end.
    case interrupted

    /// What the client of a pairing is told.
    public var pairingFailure: PairingFailure {
        switch self {
        case .wrongPassword: .wrongPassword
        case .networkNotFound: .networkNotFound
        case .timedOut, .noAddress: .noAddress
        case .unsuitable: .invalidCredentials
        case .noSupplicant, .noInterface, .managed, .radioOff, .scanFailed, .refused, .interrupted: .internalFault
        }
    }

    /// What happened, to what, and what to do.
    public var description: String {
        switch self {
        case .noSupplicant(let reason):
            """
            wpa_supplicant cannot be reached (\(reason)). Start it with its D-Bus interface: \
            `systemctl enable --now wpa_supplicant`, or `wpa_supplicant -u`.
            """
        case .noInterface(let name, let reason):
            "wpa_supplicant does not take the interface \(name) (\(reason)). `ip link` lists the interfaces."
        case .managed(let interface, let program):
            """
            \(program) manages \(interface), and would undo what the camera does. Take the interface from it \
            (NetworkManager: `nmcli device set \(interface) managed no`), or choose --wifi none.
            """
        case .radioOff(let interface): "The radio of \(interface) is switched off. Run `rfkill unblock wifi`."
        case .scanFailed(let reason): "The networks cannot be listed (\(reason)). Try again in a few seconds."
        case .wrongPassword: "The network refused the password. Passwords are case-sensitive; type it again."
        case .networkNotFound: "The network was not heard. Move the camera closer, or choose another network."
        case .unsuitable(let reason): "The network cannot be joined with these credentials: \(reason)."
        case .timedOut: "The network did not let the camera in within its time. Move the camera closer; try again."
        case .noAddress:
            """
            The network gave no address. Check that a DHCP client (dhcpcd, systemd-networkd) serves the interface here, \
            and the router's address pool.
            """
        case .refused(let reason): "wpa_supplicant refused a command (\(reason)). Its log says more."
        case .interrupted: "Joining was given up before it came to an end. Try again."
        }
    }
}
