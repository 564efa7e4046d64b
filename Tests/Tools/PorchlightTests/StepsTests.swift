import Foundation
import Porchlight
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
        #expect(failure?.reason == "nothing within 10 ms")
        #expect(failure?.advice == "the advice")
    }

    @Test("A step that knows why it is late says it")
    func lateForAReason() async throws {
        let failure = await #expect(throws: StepFailure.self) {
            try await within(.seconds(20), "the step's end") {
                try await Steps(showsLines: false).run(
                    "a step", limit: .milliseconds(10), advice: "the advice",
                    late: { Steps.Late(reason: "nobody is there", advice: "Go there.") }
                ) { try await Task.sleep(for: .seconds(3600)) }
            }
        }
        #expect(failure?.reason == "nobody is there")
        #expect(failure?.advice == "Go there.")
    }

    @Test("Times are written with their unit")
    func times() {
        #expect(Duration.seconds(35).text == "35 s")
        #expect(Duration.milliseconds(250).text == "250 ms")
    }

    @Test("An error that has a remedy of its own is not answered with the step's")
    func remedy() async {
        let failure = await failure(Steps(showsLines: false)) { throw CloudError.unauthorized(reason: "x") }
        #expect(failure?.reason == "the cloud does not accept the token")
        #expect(failure?.advice.contains("--token-file") == true)
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
