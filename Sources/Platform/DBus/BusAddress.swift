import Foundation
import Glibc

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

    /// Whether there may be a bus: false where its socket is not there. Looks at the file system and waits for nothing.
    public var mayBeThere: Bool {
        guard let address = resolved() else { return false }
        // Several addresses are tried in turn. What is no path cannot be looked at.
        return address.split(separator: ";").contains { part in
            guard let path = Self.path(in: part) else { return true }
            return access(path, F_OK) == 0
        }
    }

    /// The path of a socket's address, with its escapes resolved (D-Bus Specification, 'Server Addresses').
    private static func path(in address: Substring) -> String? {
        guard address.hasPrefix("unix:") else { return nil }
        let pairs = address.dropFirst(5).split(separator: ",")
        guard let pair = pairs.first(where: { $0.hasPrefix("path=") }) else { return nil }
        return pair.dropFirst(5).removingPercentEncoding
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
