import Foundation
import HTTPClient
import TestSupport
import Testing

/// The process may exit at any time.
///
/// The server is a process as well: the child would otherwise show how a server's thread takes the exit, and a server here
/// would have to share the threads that wait for the child.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ExitTests {
    /// OpenSSL takes itself down when the process exits; a thread that is inside of it then would crash.
    @Test(arguments: [20, 27, 34])
    func exitUnderLoad(after count: Int) async throws {
        let certificate = try await TestCertificate()
        let server = Process()
        server.executableURL = URL(filePath: "/usr/bin/env")
        server.arguments = [
            "openssl", "s_server", "-accept", "0", "-www", "-cert", certificate.certificate, "-key", certificate.key,
        ]
        let output = Pipe()
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        server.standardInput = FileHandle.nullDevice
        try server.run()
        defer { server.terminate() }
        // It says 'ACCEPT' with the address once it listens.
        var said = ""
        while !said.contains(/ACCEPT .*:(\d+)\n/) {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty, "openssl ended: \(said)")
            said += String(decoding: more, as: UTF8.self)
        }
        let port = try #require(try /ACCEPT .*:(\d+)\n/.firstMatch(in: said)).output.1

        await #expect(processExitsWith: .exitCode(7)) {
            [port = String(port) as String, file = certificate.certificate as String, count = count as Int] in
            let url = try #require(URL(string: "https://localhost:\(port)/"))
            let (answers, answered) = AsyncStream.makeStream(of: Void.self)
            for _ in 0..<8 {
                Task.detached {
                    var configuration = HTTPClient.Configuration()
                    configuration.caFile = file
                    // This server closes after each answer: there is a new connection for each.
                    while true {
                        let client = HTTPClient(configuration)
                        for _ in 0..<4 where try await client.send(.init("GET", url)).status == 200 { answered.yield() }
                    }
                }
            }
            var left = count
            for await _ in answers {
                left -= 1
                if left == 0 { exit(7) }
            }
        }
    }
}
