import Foundation

/// Which message bus to talk to.
public enum BusAddress: Sendable, Equatable {
    /// The machine's bus, where `bluetoothd` and `wpa_supplicant` are: `DBUS_SYSTEM_BUS_ADDRESS`, else the usual socket.
    case system
    /// The user's bus: `DBUS_SESSION_BUS_ADDRESS`, else the socket in `XDG_RUNTIME_DIR`.
    case session
    /// An address as the D-Bus specification writes it, such as `unix:path=/run/dbus/system_bus_socket`.
    case address(String)

    /// The address in D-Bus's notation; nil where the environment names no session bus.
    func resolved(in environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        switch self {
        case .system: return variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket"
        case .session:
            return variable("DBUS_SESSION_BUS_ADDRESS") ?? variable("XDG_RUNTIME_DIR").map { "unix:path=\($0)/bus" }
        case .address(let address): return address
        }
    }

    /// How an error names the bus.
    var title: String {
        switch self {
        case .system: "the system bus"
        case .session: "the session bus"
        case .address: "the message bus"
        }
    }

    /// What to do when nobody answers there.
    var remedy: String {
        switch self {
        case .system: "start it (systemctl start dbus), or name another one in DBUS_SYSTEM_BUS_ADDRESS"
        case .session: "log in, run the program under dbus-run-session, or set DBUS_SESSION_BUS_ADDRESS"
        case .address: "check the address and that a dbus-daemon listens there"
        }
    }
}
