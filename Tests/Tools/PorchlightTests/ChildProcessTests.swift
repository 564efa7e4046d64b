import Foundation
import TestSupport
import Testing

@testable import porchlight

@Suite("A process that does not outlive its parent")
struct ChildProcessTests {
    private func shell(_ script: String) throws -> ChildProcess {
        try ChildProcess(executable: URL(filePath: "/bin/sh"), arguments: ["-c", script], environment: [:])
    }

    @Test("Its lines come one by one, the last one without an end too")
    func lines() async throws {
        let child = try shell("echo one; echo; printf two; exit 3")
        let lines = try await within(.seconds(20), "its end") { await Array(child.lines) }
        #expect(lines == ["one", "", "two"])
        #expect(try await within(.seconds(20), "its status") { await child.exit() } == 3)
    }

    @Test("It sees the end of its input and leaves")
    func leaves() async throws {
        let child = try shell("cat > /dev/null; exit 5")
        try await within(.seconds(20), "its end") { await child.end() }
        #expect(await child.exit() == 5)
    }

    @Test("Of many at once none holds another's input open")
    func many() async throws {
        let children = try (0..<8).map { _ in try shell("cat > /dev/null; exit 5") }
        for child in children {
            try await within(.seconds(4), "its end, before it is made to") { await child.end() }
            #expect(await child.exit() == 5)
        }
    }

    @Test("A signal that ended it is told from an exit")
    func signalled() async throws {
        let child = try shell("kill -9 $$")
        #expect(try await within(.seconds(20), "its status") { await child.exit() } == 137)
    }

    @Test("A program that cannot be executed is an error at once")
    func missing() {
        #expect(throws: (any Error).self) {
            try ChildProcess(executable: URL(filePath: "/nonexistent"), arguments: [], environment: [:])
        }
    }
}

extension Array {
    fileprivate init(_ sequence: AsyncStream<Element>) async where Element: Sendable {
        self = []
        for await element in sequence { append(element) }
    }
}
