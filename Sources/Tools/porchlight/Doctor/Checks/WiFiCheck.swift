import DBus
import Foundation

/// What a camera joins networks with: an interface, `wpa_supplicant` on the bus, and a DHCP client that watches the carrier.
struct WiFiCheck: Check {
    /// The kernel's network interfaces.
    var interfaces = URL(filePath: "/sys/class/net")
    /// The kernel's processes.
    var processes = URL(filePath: "/proc")
    var bus = BusAddress.system

    let title = "Wi-Fi"
    let area = "wifi"
    let roles: Set<Role> = [.camera]
    let remedyWhenLate = "The system bus hangs: look at 'systemctl status dbus'."

    private static let supplicant = "fi.w1.wpa_supplicant1"
    private static let root = "/fi/w1/wpa_supplicant1"

    /// Programs that give an interface an address, by their names in the kernel, which has 15 characters.
    private static let clients = ["dhcpcd", "systemd-network", "NetworkManager", "connmand"]
    /// Those that do not notice that the network has changed.
    private static let inattentive = ["dhclient", "udhcpc"]

    func findings(for roles: Set<Role>) async -> [Finding] {
        let names = await Self.apart { wireless() }
        guard !names.isEmpty else {
            return [
                .note(
                    "wifi.interface",
                    "there is no Wi-Fi interface: a camera here is wired, or its networks are made up",
                    "porchlight camera --wifi none, or --wifi simulated.")
            ]
        }
        var findings = [Finding.ok("wifi.interface", names.joined(separator: ", "))]
        findings += await supplicant(of: names)
        findings.append(await Self.apart { address() })
        return findings
    }

    private func wireless() -> [String] {
        let files = FileManager.default
        let names = (try? files.contentsOfDirectory(atPath: interfaces.path)) ?? []
        return names.sorted().filter { name in
            ["phy80211", "wireless"].contains {
                files.fileExists(atPath: interfaces.appending(path: name).appending(path: $0).path)
            }
        }
    }

    // MARK: wpa_supplicant

    private func supplicant(of names: [String]) async -> [Finding] {
        do throws(BusError) {
            let bus = try await ServiceBus(bus)
            guard let owner = try await bus.owner(of: Self.supplicant) else {
                return [
                    .problem(
                        "wifi.supplicant", "wpa_supplicant is not on the system bus",
                        "apt-get install wpasupplicant, then: systemctl enable --now wpa_supplicant (or: wpa_supplicant -u)"
                    )
                ]
            }
            _ = try await bus.property(owner, Self.root, Self.supplicant, "Interfaces")
            var findings = [Finding.ok("wifi.supplicant", "wpa_supplicant answers")]
            for name in names where await bus.isManaged(name) {
                findings.append(
                    .note(
                        "wifi.manager", "NetworkManager manages \(name), and would undo what a camera does",
                        "To make it the camera's: nmcli device set \(name) managed no"))
            }
            return findings
        } catch {
            return [Self.finding(error)]
        }
    }

    private static func finding(_ error: BusError) -> Finding {
        switch error {
        case .remote(BusError.accessDenied, _):
            .problem(
                "wifi.permission", "this account may not talk to wpa_supplicant",
                "Run the camera as root, or allow send_destination=\"\(supplicant)\" to its account in a file of "
                    + "/etc/dbus-1/system.d.")
        case .timedOut, .remote(BusError.noReply, _):
            .problem("wifi.supplicant", "wpa_supplicant does not answer", "systemctl restart wpa_supplicant")
        default: .problem("wifi.supplicant", "\(error)", "systemctl enable --now dbus wpa_supplicant")
        }
    }

    // MARK: Addresses

    private func address() -> Finding {
        let running = Set(programs())
        let found = Self.clients.filter(running.contains)
        if let client = found.first {
            let title = client == "systemd-network" ? "systemd-networkd (with DHCP=yes for the interface)" : client
            return .ok("wifi.address", "\(title) runs, and gives addresses")
        }
        let other = Self.inattentive.first(where: running.contains)
        let says =
            other.map { "\($0) runs, which does not notice that the network has changed" }
            ?? "no DHCP client runs: a network that was joined would give no address"
        return .problem("wifi.address", says, "apt-get install dhcpcd, then: systemctl enable --now dhcpcd")
    }

    /// The names of what runs, as the kernel cuts them.
    private func programs() -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: processes.path)) ?? []
        return entries.filter { $0.allSatisfy(\.isNumber) }.compactMap { entry in
            // It may have ended since.
            (try? String(contentsOf: processes.appending(path: entry).appending(path: "comm"), encoding: .utf8))?
                .trimmingCharacters(in: .newlines)
        }
    }
}
