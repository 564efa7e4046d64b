import Foundation
import TestSupport
import Testing

@testable import porchlight

@Suite("An examination", .timeLimit(.minutes(1)))
struct ExaminationTests {
    private struct Word: Check {
        var title: String
        var roles = Set(Role.allCases)
        var area: String { title }
        var says = true

        func findings(for roles: Set<Role>) async -> [Finding] {
            says ? [.ok("\(title).word", roles.sorted().map(\.rawValue).joined(separator: " "))] : []
        }
    }

    /// Hears no cancellation, as what is stuck in a system call.
    private struct Stuck: Check {
        var title = "Stuck"
        var area = "stuck"
        var roles: Set<Role> = [.app]
        var limit = Duration.seconds(7)
        var remedyWhenLate = "Kick it."
        var end: OneTimeEvent<Void>

        func findings(for roles: Set<Role>) async -> [Finding] {
            await Task.detached { [end] in _ = await end.wait() }.value
            return []
        }
    }

    @Test("Sections come in the order of the checks; who has nothing to say has none")
    func order() async throws {
        let checks: [any Check] = [Word(title: "b"), Word(title: "c", says: false), Word(title: "a")]
        let sections = await Examination(checks: checks, roles: [.app]).run()
        #expect(sections.map(\.title) == ["b", "a"])
    }

    @Test("Only what those need that are asked about is looked at, and each check hears who that is")
    func roles() async throws {
        let checks: [any Check] = [
            Word(title: "a", roles: [.app]), Word(title: "b", roles: [.camera, .cloud]), Word(title: "c"),
        ]
        let sections = await Examination(checks: checks, roles: [.app, .cloud]).run()
        #expect(sections.map { $0.findings[0].says } == ["app", "cloud", "app cloud"])
    }

    /// Says whether another one had ended when it began.
    private struct Heavy: Check {
        var title = "Heavy"
        var area = "heavy"
        var roles: Set<Role> = [.app]
        var isHeavy = true
        var other: OneTimeEvent<Void>

        func findings(for roles: Set<Role>) async -> [Finding] { [.ok("heavy.after", "\(other.hasHappened)")] }
    }

    private struct Light: Check {
        var title = "Light"
        var area = "light"
        var roles: Set<Role> = [.app]
        var end: OneTimeEvent<Void>

        func findings(for roles: Set<Role>) async -> [Finding] {
            for _ in 0..<50 { await Task.yield() }
            end.happen(())
            return [.ok("light.done", "done")]
        }
    }

    @Test("A heavy check begins when the light ones have ended, and keeps its place")
    func heavy() async throws {
        let end = OneTimeEvent<Void>()
        let sections = await Examination(checks: [Heavy(other: end), Light(end: end)], roles: [.app]).run()
        #expect(sections.map(\.title) == ["Heavy", "Light"])
        #expect(sections[0].findings[0].says == "true")
    }

    @Test("A check that hangs is given up at its own limit, with its remedy, and the others are told")
    func late() async throws {
        let end = OneTimeEvent<Void>()
        let clock = ManualClock()
        let examination = Examination(checks: [Stuck(end: end), Word(title: "w")], roles: [.app], clock: clock)
        async let sections = within(.seconds(20), "its end") { await examination.run() }
        // The other one may be done before or after it has begun to sleep.
        while clock.now.offset < .seconds(7) {
            await clock.sleepers()
            clock.advance(by: .seconds(7))
        }
        let found = try await sections
        #expect(found.map(\.title) == ["Stuck", "w"])
        #expect(
            found[0].findings == [.problem("stuck.late", "this could not be found out within 7 s", "Kick it.")])
        end.happen(())
    }

    @Test("A report counts, and says in its last line what is to be done")
    func report() throws {
        let works = Examination.Section(
            title: "One", findings: [.ok("one.a", "fine"), .note("one.b", "so so", "Rest.")])
        let broken = Examination.Section(title: "Two", findings: [.problem("two.a", "broken", "Mend it.")])
        let good = DoctorReport([works], roles: [.app])
        #expect(good.works)
        #expect(
            good.lines == [
                "One", "  ✓ fine", "  · so so", "      Rest.", "", "Everything that is needed works (1 note).",
            ])
        let bad = DoctorReport([works, broken], roles: [.camera, .app])
        #expect(!bad.works)
        #expect(bad.lines.last == "1 problem, 1 note. What follows a ✗ has to be mended.")

        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(DoctorReport([broken], roles: [.camera, .app])), as: UTF8.self)
        #expect(
            json == #"{"findings":[{"check":"two.a","level":"problem","remedy":"Mend it.","says":"broken"}],"notes":0,"#
                + #""problems":1,"roles":["app","camera"],"works":false}"#)
    }
}
