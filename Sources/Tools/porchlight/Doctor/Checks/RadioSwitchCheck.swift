import Foundation

/// The kernel's switches of radios (rfkill): a key on a laptop, a setting of the firmware, 'flight mode'.
///
/// Source: the kernel's documentation, driver-api/rfkill.rst and sysfs-class-rfkill.
struct RadioSwitchCheck: Check {
    var directory = URL(filePath: "/sys/class/rfkill")
    /// Whether an adapter is wanted at all.
    var usesBlueZ: Bool

    let title = "Radio switches"
    let area = "rfkill"
    let roles: Set<Role> = [.app, .camera]

    private struct Switch {
        var name: String
        var kind: String
        var isSoftBlocked: Bool
        var isHardBlocked: Bool
        var isOpen: Bool { !isSoftBlocked && !isHardBlocked }
    }

    func findings(for roles: Set<Role>) async -> [Finding] {
        let switches = await Self.apart { all() }
        var findings: [Finding] = []
        if usesBlueZ { findings += finding(of: "bluetooth", called: "Bluetooth", switches) }
        if roles.contains(.camera) { findings += finding(of: "wlan", called: "Wi-Fi", switches) }
        return findings
    }

    private func finding(of kind: String, called name: String, _ all: [Switch]) -> [Finding] {
        let switches = all.filter { $0.kind == kind }
        let closed = switches.filter { !$0.isOpen }
        let check = "rfkill.\(kind)"
        guard !switches.isEmpty else { return [] }
        guard !closed.isEmpty else { return [.ok(check, "\(name) is not blocked")] }
        let names = closed.map(\.name).joined(separator: ", ")
        let says: String
        let remedy: String
        if closed.contains(where: \.isHardBlocked) {
            says = "\(name) is blocked by a switch, a key or the firmware (\(names))"
            remedy = "Move the switch, press the key for flight mode, or allow it in the firmware's settings."
        } else {
            says = "\(name) is blocked by a program (\(names))"
            remedy = "rfkill unblock \(kind)   (without it: echo 0 > \(directory.path)/…/soft, as root)"
        }
        // One of several that is closed leaves the others.
        guard closed.count == switches.count else { return [.note(check, says, remedy)] }
        return [.problem(check, says, remedy)]
    }

    private func all() -> [Switch] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return entries.sorted().compactMap { entry in
            let place = directory.appending(path: entry)
            guard let kind = Self.value("type", in: place) else { return nil }
            return Switch(
                name: Self.value("name", in: place) ?? entry, kind: kind,
                isSoftBlocked: Self.value("soft", in: place) == "1", isHardBlocked: Self.value("hard", in: place) == "1"
            )
        }
    }

    private static func value(_ name: String, in place: URL) -> String? {
        (try? String(contentsOf: place.appending(path: name), encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
