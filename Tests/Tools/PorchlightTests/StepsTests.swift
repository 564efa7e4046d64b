import Foundation
import TestSupport
import Testing

@testable import porchlight

@Suite("The steps of the demo")
struct StepsTests {
    private struct Fault: Error, CustomStringConvertible { var description: String { "the fault" } }

    private func failure(
        _ steps: Steps, limit: Duration = .seconds(20), _ body: @escaping @Sendable () async throws -> Int
    ) async -> StepFailure? {
        await #expect(throws: StepFailure.self) {
            _ = try await within(.seconds(20), "the step's end") {
                try await steps.run("a step", limit: limit, advice: "the advice", body)
            }
        }
    }

    @Test("A step that is done is kept with its time")
    func done() async throws {
        let steps = Steps(showsLines: false)
        #expect(try await steps.run("a step", limit: .seconds(20), advice: "") { 7 } == 7)
        #expect(await steps.done.map(\.name) == ["a step"])
    }

    @Test("A step that throws fails with its name, the reason and the advice")
    func failed() async {
        let steps = Steps(showsLines: false)
        let failure = await failure(steps) { throw Fault() }
        #expect(failure?.step == "a step")
        #expect(failure?.reason == "the fault")
        #expect(failure?.advice == "the advice")
        #expect(await steps.done.isEmpty)
    }

    @Test("A step that never ends is given up at its limit")
    func late() async {
        let failure = await failure(Steps(showsLines: false), limit: .milliseconds(10)) {
            try await Task.sleep(for: .seconds(3600))
            return 0
        }
        #expect(failure?.reason.contains("nothing within") == true)
    }

    @Test("A step is given up when the camera's process ends")
    func cameraGone() async throws {
        let steps = Steps(showsLines: false)
        let camera = try ChildProcess(
            executable: URL(filePath: "/bin/sh"), arguments: ["-c", "exit 9"], environment: [:])
        await steps.depend(on: camera)
        let failure = await failure(steps) {
            try await Task.sleep(for: .seconds(3600))
            return 0
        }
        #expect(failure?.reason == "the camera's process ended (exit status 9)")
    }
}
