import CoreBluetooth
import DBus
import Foundation

/// The radio that carries pairing: `bluetoothd`, its version, an adapter that is on, and whether it can advertise.
struct BluetoothCheck: Check {
    /// What carries Bluetooth here.
    var radio: CBManager.RadioKind
    var bus = BusAddress.system
    /// The version of the daemon that is installed; nil where it is not known.
    var version: @Sendable () async -> String? = { await Self.version(of: Self.programs) }

    let title = "Bluetooth"
    let area = "bluetooth"
    let roles: Set<Role> = [.app, .camera]
    let remedyWhenLate =
        "The system bus or bluetoothd hangs: systemctl restart bluetooth, and look at 'systemctl status dbus'."

    private static let service = "org.bluez"
    private static let adapter = "org.bluez.Adapter1"
    private static let advertising = "org.bluez.LEAdvertisingManager1"
    private static let attributes = "org.bluez.GattManager1"
    private static let oldest = [5, 66]
    /// Where distributions put the daemon.
    private static let programs = [
        "/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd", "/usr/sbin/bluetoothd",
    ]

    /// An adapter as the daemon presents it.
    private struct Adapter {
        var name: String
        var address: String
        var isPowered: Bool
        /// Advertisements that may yet be registered; nil where none can be at all.
        var freeAdvertisements: Int?
        var takesServices: Bool

        func isCalled(_ wish: String) -> Bool { name == wish || address.lowercased() == wish.lowercased() }
    }

    func findings(for roles: Set<Role>) async -> [Finding] {
        switch radio {
        case .absent(let reason):
            return [.problem("bluetooth.radio", reason, "Correct the environment.")]
        case .software(let directory):
            return [
                .note(
                    "bluetooth.radio",
                    "the software radio is used, in \(directory): it reaches programs of this machine only",
                    "For cameras that are other machines: a system bus with bluetoothd, or PORCHLIGHT_RADIO=bluez.")
            ]
        case .blueZ(let adapter):
            do throws(BusError) {
                return try await blueZ(preferring: adapter, for: roles)
            } catch {
                return [Self.finding(error)]
            }
        }
    }

    private func blueZ(preferring wish: String?, for roles: Set<Role>) async throws(BusError) -> [Finding] {
        let bus = try await ServiceBus(bus)
        let version = await version()
        guard let owner = try await bus.owner(of: Self.service) else {
            let remedy =
                version == nil
                ? "apt-get install bluez, then: systemctl enable --now bluetooth"
                : "systemctl enable --now bluetooth; where there is no systemd, start bluetoothd."
            return [.problem("bluetooth.daemon", "bluetoothd is not on the system bus", remedy)]
        }
        let answer = try await bus.call(owner, "/", BusName.objectManager, "GetManagedObjects")
        var findings = [Self.finding(version: version)]
        let adapters = Self.adapters(in: answer)
        guard let chosen = Self.choose(among: adapters, preferring: wish) else {
            return findings + [Self.noAdapter(among: adapters, preferring: wish)]
        }
        guard chosen.isPowered else {
            let remedy = "bluetoothctl power on; if that fails, see 'Radio switches' here."
            return findings + [
                .problem("bluetooth.adapter", "\(chosen.name) (\(chosen.address)) is switched off", remedy)
            ]
        }
        let others = adapters.count > 1 ? "; there are \(adapters.count), PORCHLIGHT_ADAPTER chooses" : ""
        findings.append(.ok("bluetooth.adapter", "\(chosen.name) (\(chosen.address)) is on\(others)"))
        if roles.contains(.camera) { findings.append(Self.advertising(of: chosen)) }
        return findings
    }

    // MARK: Findings

    private static func finding(_ error: BusError) -> Finding {
        switch error {
        case .remote(BusError.accessDenied, _):
            .problem(
                "bluetooth.permission", "this account may not talk to bluetoothd",
                "Add it to the group that /etc/dbus-1/system.d/bluetooth.conf names (usually: usermod -aG bluetooth "
                    + "\(NSUserName())), and log in anew.")
        case .unreachable:
            .problem(
                "bluetooth.bus", "\(error)",
                "PORCHLIGHT_RADIO=software, with a PORCHLIGHT_RADIO_DIR, reaches programs of this machine without it.")
        case .timedOut, .remote(BusError.noReply, _):
            .problem("bluetooth.daemon", "bluetoothd does not answer", "systemctl restart bluetooth")
        default: .problem("bluetooth.daemon", "\(error)", "systemctl restart bluetooth")
        }
    }

    private static func finding(version: String?) -> Finding {
        guard let version else {
            return .note(
                "bluetooth.daemon", "bluetoothd answers; its version is not known (5.66 is the oldest that does)")
        }
        let numbers = version.split(separator: ".").map { Int($0) ?? 0 }
        guard !numbers.lexicographicallyPrecedes(oldest) else {
            return .problem(
                "bluetooth.daemon", "bluetoothd \(version) is too old: 5.66 is the oldest that does",
                "Upgrade the package bluez; Debian 12 has 5.66.")
        }
        return .ok("bluetooth.daemon", "bluetoothd \(version) answers")
    }

    private static func noAdapter(among adapters: [Adapter], preferring wish: String?) -> Finding {
        guard let wish, !adapters.isEmpty else {
            return .problem(
                "bluetooth.adapter", "bluetoothd has no adapter",
                "Plug one in. If it is: 'dmesg | grep -i bluetooth' tells of missing firmware.")
        }
        return .problem(
            "bluetooth.adapter", "there is no adapter \(wish)",
            "Set PORCHLIGHT_ADAPTER to one of: \(adapters.map(\.name).joined(separator: ", ")).")
    }

    private static func advertising(of adapter: Adapter) -> Finding {
        let remedy = "Use another adapter: one of Bluetooth 4.0 or newer that can be a peripheral."
        guard let free = adapter.freeAdvertisements, adapter.takesServices else {
            return .problem(
                "bluetooth.advertising", "\(adapter.name) cannot advertise, which a camera that is paired must", remedy)
        }
        guard free > 0 else {
            return .problem(
                "bluetooth.advertising", "all of \(adapter.name)'s advertisements are taken by other programs",
                "End one of them: 'busctl tree org.bluez' and 'bluetoothctl show' tell more.")
        }
        return .ok("bluetooth.advertising", "\(adapter.name) can advertise (\(free) more)")
    }

    // MARK: The daemon

    private static func adapters(in answer: [BusValue]) -> [Adapter] {
        let objects = answer.first?.entries ?? []
        return objects.compactMap { object -> Adapter? in
            let pairs = (object.value.entries ?? []).compactMap { entry in
                entry.key.string.map { ($0, entry.value.properties ?? [:]) }
            }
            let interfaces = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
            guard let path = object.key.string, let properties = interfaces[adapter] else { return nil }
            return Adapter(
                name: path.split(separator: "/").last.map(String.init) ?? path,
                address: properties["Address"]?.string ?? "no address",
                isPowered: properties["Powered"]?.bool ?? false,
                // BlueZ names those that are left 'supported'.
                freeAdvertisements: interfaces[advertising].map { $0["SupportedInstances"]?.int ?? 0 },
                takesServices: interfaces[attributes] != nil)
        }.sorted { ($0.name.utf8.count, $0.name) < ($1.name.utf8.count, $1.name) }
    }

    /// As the radio itself chooses: the preferred, else the first that is on, else the first.
    private static func choose(among adapters: [Adapter], preferring wish: String?) -> Adapter? {
        if let wish { return adapters.first { $0.isCalled(wish) } }
        return adapters.first(where: \.isPowered) ?? adapters.first
    }

    /// What the first of these programs that is there says; it is the running daemon's version but for an upgrade without a
    /// restart.
    static func version(of programs: [String]) async -> String? {
        guard let program = programs.first(where: FileManager.default.isExecutableFile(atPath:)),
            let process = try? ChildProcess(
                executable: URL(filePath: program), arguments: ["--version"], environment: [:])
        else { return nil }
        defer { Task { await process.end() } }
        for await line in process.lines where line.first?.isNumber == true { return line }
        return nil
    }
}
