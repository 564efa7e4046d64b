import Basics
package import DBus

/// The program that manages interfaces on many boards, and uses wpa_supplicant too: as much of its D-Bus interface as tells
/// which interfaces are its own. Source: NetworkManager's D-Bus API, version 1.42.
package enum NetworkManager {
    /// The name on the bus, of its main interface, and the prefix of all others.
    static let service = "org.freedesktop.NetworkManager"
    private static let root = "/org/freedesktop/NetworkManager"
    private static let device = service + ".Device"
    private static let unknownDevice = service + ".UnknownDevice"
    private static let log = Log("wifi")

    /// Whether it has the interface. One that does not tell is taken to have it: two would fight over it.
    package nonisolated(nonsending) static func manages(
        _ interface: String, on connection: BusConnection
    ) async -> Bool {
        do throws(BusError) {
            guard try await connection.owner(of: service) != nil else { return false }
            let answer = try await connection.call(service, root, service, "GetDeviceByIpIface", [.string(interface)])
            guard let path = answer.first?.string else { return true }
            return try await connection.property(service, path, device, "Managed").bool ?? true
        } catch  where error.name == unknownDevice {
            return false
        } catch  where error.name == BusError.serviceUnknown {
            // It has ended since.
            return false
        } catch {
            log.warning("NetworkManager does not tell whether it manages \(interface): \(error)")
            return true
        }
    }
}
