/// Runs checks side by side, first the light ones and then the heavy ones, each no longer than it may take: what hangs is
/// told and left alone.
struct Examination: Sendable {
    /// The findings of one check.
    struct Section: Sendable, Equatable {
        var title: String
        var findings: [Finding]
    }

    var checks: [any Check]
    /// Who is asked about.
    var roles: Set<Role>
    var clock: any Clock<Duration> = ContinuousClock()

    /// The findings in the order of the checks; a check that has nothing to say, or that nobody is asked about needs, has
    /// no section.
    func run() async -> [Section] {
        let due = checks.filter { !$0.roles.isDisjoint(with: roles) }
        var all: [Int: [Finding]] = [:]
        for isHeavy in [false, true] {
            await withTaskGroup(of: (Int, [Finding]).self) { group in
                for (index, check) in due.enumerated() where check.isHeavy == isHeavy {
                    group.addTask { (index, await findings(of: check)) }
                }
                for await (index, findings) in group { all[index] = findings }
            }
        }
        return due.enumerated().compactMap { index, check in
            guard let findings = all[index], !findings.isEmpty else { return nil }
            return Section(title: check.title, findings: findings)
        }
    }

    private func findings(of check: any Check) async -> [Finding] {
        // Tasks outside of the group, which would wait for one that is stuck.
        let outcome = OneTimeEvent<[Finding]>()
        let asked = check.roles.intersection(roles)
        let work = Task { outcome.happen(await check.findings(for: asked)) }
        let limit = Task { [clock] in
            guard (try? await clock.sleep(for: check.limit)) != nil else { return }
            outcome.happen([
                .problem(
                    "\(check.area).late", "this could not be found out within \(check.limit.text)", check.remedyWhenLate
                )
            ])
        }
        defer {
            work.cancel()
            limit.cancel()
        }
        return await outcome.wait() ?? []
    }
}
