import CloudServer
import Foundation
import Glibc
import Porchlight
import TestSupport
import Testing
import Wire

@testable import porchlight

@Suite("What doctor finds out about ports, datagrams and the cloud", .timeLimit(.minutes(1)))
struct NetworkCheckTests {
    /// A listener of this test's own that says nothing, until the descriptor is closed.
    private func listener() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        try #require(inet_pton(AF_INET, "127.0.0.1", &address.sin_addr) == 1)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 4) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isListening)
        return (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
    }

    private func cloud() async throws -> (CloudServer, TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        var configuration = CloudConfiguration(dataDirectory: directory.url)
        configuration.port = 0
        return (try await CloudServer.start(configuration), directory)
    }

    @Test("A free port; one that another program has; one that a cloud has")
    func ports() async throws {
        let (descriptor, port) = try listener()
        let taken = await PortCheck(port: port).findings(for: [.cloud])
        #expect(taken.map(\.level) == [.problem])
        #expect(taken[0].says == "another program listens on port \(port) on 127.0.0.1")
        #expect(taken[0].remedy?.contains("--port") == true)
        close(descriptor)
        // Whichever is free.
        #expect(await PortCheck(port: 0).findings(for: [.cloud]).map(\.level) == [.ok])

        let (server, directory) = try await cloud()
        let ours = await PortCheck(port: try #require(server.address.port)).findings(for: [.cloud])
        #expect(ours.map(\.level) == [.ok])
        #expect(ours[0].says.contains("a Porchlight cloud runs on"))
        await server.stop()
        withExtendedLifetime(directory) {}
    }

    @Test("An address that this machine does not have")
    func foreignAddress() async {
        // TEST-NET-3 of RFC 5737.
        let findings = await PortCheck(host: "203.0.113.7", port: 8080).findings(for: [.cloud])
        #expect(findings.map(\.level) == [.problem])
    }

    @Test("A datagram comes back from this machine's own addresses")
    func datagrams() async {
        let check = DatagramCheck(places: { [.init(interface: "lo", address: "127.0.0.1", isLoopback: false)] })
        #expect(await check.findings(for: [.app]).map(\.level) == [.ok])
        let foreign = DatagramCheck(places: { [.init(interface: "x", address: "203.0.113.7", isLoopback: false)] })
        #expect(await foreign.findings(for: [.app]).map(\.level) == [.problem])
    }

    @Test("One that does not come back is a problem, and a machine with nothing but loopback a note")
    func noDatagrams() async {
        let eth = DatagramCheck.Place(interface: "eth0", address: "192.0.2.1", isLoopback: false)
        let loopback = DatagramCheck.Place(interface: "lo", address: "127.0.0.1", isLoopback: true)
        let lost = DatagramCheck(places: { [loopback, eth] }, loop: { _ in "it was not heard of again" })
        let findings = await lost.findings(for: [.app])
        #expect(findings.map(\.level) == [.problem])
        #expect(findings[0].says.contains("192.0.2.1 (eth0)"))
        #expect(await DatagramCheck(places: { [loopback] }).findings(for: [.app]).map(\.level) == [.note])
    }

    @Test("A cloud that is right, with a right token, a wrong one, and a space of another")
    func cloudAnswers() async throws {
        let (server, directory) = try await cloud()
        let owner = try await OwnerAccess.establish(in: directory.url, of: server)
        func findings(_ token: Secret?, _ space: String? = nil) async -> [Finding] {
            await CloudCheck(cloud: server.address, token: token, space: space).findings(for: [.app])
        }
        #expect(await findings(nil).map(\.check) == ["cloud.answer"])
        #expect(await findings(owner.token).map(\.level) == [.ok, .ok])
        #expect(await findings(owner.token, owner.spaceId).map(\.level) == [.ok, .ok])
        let wrong = await findings(Secret("canary"))
        #expect(wrong.map(\.level) == [.ok, .problem])
        #expect(wrong[1].check == "cloud.token")
        #expect(!wrong[1].says.contains("canary"))
        #expect(await findings(owner.token, "other").last?.check == "cloud.space")
        await server.stop()
    }

    @Test("Nobody there, and somebody who is no cloud; secrets of the address are not shown")
    func noCloud() async throws {
        let (descriptor, port) = try listener()
        close(descriptor)
        let url = try #require(URL(string: "http://owner:canary@127.0.0.1:\(port)/?key=canary"))
        let findings = await CloudCheck(cloud: url, token: nil, space: nil).findings(for: [.app])
        #expect(findings.map(\.level) == [.problem])
        #expect(!findings[0].says.contains("canary"))
    }
}
