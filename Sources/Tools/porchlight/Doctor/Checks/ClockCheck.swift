import DBus
import Foundation

/// The clock: certificates and tokens are judged by it, and pictures are stamped with it.
struct ClockCheck: Check {
    var now: @Sendable () -> Date = { Date() }
    /// Where systemd-timedated says whether the clock is kept right.
    var bus = BusAddress.system

    let title = "Clock"
    let area = "clock"
    let roles = Set(Role.allCases)

    /// What is earlier is the clock of a board without a battery, later is a typing error.
    private static let years = 2026...2100
    private static let service = "org.freedesktop.timedate1"

    func findings(for roles: Set<Role>) async -> [Finding] {
        let now = now()
        let text = now.formatted(.iso8601)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        guard Self.years.contains(calendar.component(.year, from: now)) else {
            return [
                .problem(
                    "clock.year", "the clock says \(text)",
                    "Set it: timedatectl set-ntp true, or date -s; a board without a battery needs a time server.")
            ]
        }
        switch await isSynchronised() {
        case true: return [.ok("clock.year", "the clock says \(text), and follows a time server")]
        case false:
            return [
                .note(
                    "clock.year", "the clock says \(text), and follows no time server",
                    "apt-get install systemd-timesyncd, then: timedatectl set-ntp true")
            ]
        case nil: return [.ok("clock.year", "the clock says \(text); whether it follows a time server is not told")]
        }
    }

    /// nil where nobody tells. On a machine with a bus, systemd-timedated is started for the question.
    private func isSynchronised() async -> Bool? {
        guard bus.mayBeThere else { return nil }
        do throws(BusError) {
            return try await ServiceBus(bus).property(
                Self.service, "/org/freedesktop/timedate1", Self.service, "NTPSynchronized"
            ).bool
        } catch {
            return nil
        }
    }
}
