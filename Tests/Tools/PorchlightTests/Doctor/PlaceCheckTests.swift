import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@testable import porchlight

@Suite("What doctor finds out about the clock and directories", .timeLimit(.minutes(1)))
struct PlaceCheckTests {
    private func clock(_ text: String, _ bus: BusAddress = .address("unix:path=/nonexistent")) async throws -> [Finding]
    {
        let date = try Date(text, strategy: .iso8601)
        return await ClockCheck(now: { date }, bus: bus).findings(for: [.cloud])
    }

    @Test(
        "A clock without a battery, and one of another century",
        arguments: ["1970-01-01T00:00:05Z", "2199-01-01T00:00:00Z"])
    func wrongYear(text: String) async throws {
        let findings = try await clock(text)
        #expect(findings.map(\.level) == [.problem])
        #expect(findings[0].says.contains(text))
    }

    @Test("Whether the clock follows a time server is told where systemd knows it")
    func synchronised() async throws {
        #expect(try await clock("2027-05-01T12:00:00Z").map(\.level) == [.ok])
        for (value, level) in [(true, Finding.Level.ok), (false, .note)] {
            let bus = try PrivateBus()
            let name = "org.freedesktop.timedate1"
            let daemon = try await FakeDaemon(
                name, on: bus, objects: ["/org/freedesktop/timedate1": [name: ["NTPSynchronized": .bool(value)]]])
            let findings = try await clock("2027-05-01T12:00:00Z", .address(bus.address))
            #expect(findings.map(\.level) == [level])
            #expect(findings[0].says.contains(value ? "follows a time server" : "follows no time server"))
            withExtendedLifetime(daemon) {}
        }
    }

    // MARK: Directories

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func finding(
        _ name: String, _ privacy: DirectoryCheck.Place.Privacy, mode: Int? = nil, user: uid_t = getuid()
    ) async throws -> Finding {
        let path = directory.path(name)
        if let mode {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let place = DirectoryCheck.Place(
            name: "x", what: "Something", path: path, privacy: privacy, roles: [.app], choice: "--x")
        let findings = await DirectoryCheck(places: [place], user: user).findings(for: [.app])
        return try #require(findings.first)
    }

    @Test("One that is there, and one that can be made")
    func works() async throws {
        #expect(try await finding("a", .secret, mode: 0o700).level == .ok)
        #expect(try await finding("b", .own, mode: 0o755).level == .ok)
        #expect(try await finding("c", .any, mode: 0o777).level == .ok)
        #expect(try await finding("none/and/none", .secret).says.contains("will be made"))
    }

    @Test("Others may write, others may enter, it is another's")
    func exposed() async throws {
        let open = try await finding("a", .own, mode: 0o777)
        #expect(open.level == .problem)
        #expect(open.remedy?.contains("chmod go-w") == true)
        #expect(open.remedy?.contains("--x") == true)
        #expect(try await finding("b", .secret, mode: 0o755).remedy?.contains("chmod 700") == true)
        let foreign = try await finding("c", .own, mode: 0o700, user: getuid() + 1)
        #expect(foreign.says.contains("belongs to another user"))
    }

    @Test("A file is no directory, and below a file none can be made")
    func file() async throws {
        try Data().write(to: directory.url.appending(path: "file"))
        #expect(try await finding("file", .any).says.contains("is no directory"))
        #expect(try await finding("file/below", .any).level == .problem)
    }

    @Test("Whoever is not asked about has no directories")
    func roles() async {
        let place = DirectoryCheck.Place(
            name: "x", what: "Something", path: "/nonexistent", privacy: .any, roles: [.camera], choice: "--x")
        #expect(await DirectoryCheck(places: [place]).findings(for: [.cloud]).isEmpty)
    }
}
