import Foundation

/// Runs steps one after the other: each is timed, limited, and given up at once when a process that it depends on ends.
actor Steps {
    /// Why a step has taken too long, and what to do.
    struct Late: Sendable {
        var reason: String
        var advice: String
    }

    private let showsLines: Bool
    private(set) var done: [WalkthroughReport.Step] = []
    /// The names of all steps that were begun, done or not.
    private(set) var begun: Set<String> = []
    private var camera: ChildProcess?

    /// - Parameter showsLines: Whether each step prints a line for people.
    init(showsLines: Bool) { self.showsLines = showsLines }

    /// From here on, no step goes on without this process.
    func depend(on camera: ChildProcess) { self.camera = camera }

    /// Shows lines that belong to the step before.
    func remark(_ lines: [String]) {
        guard showsLines else { return }
        Terminal.progress("")
        for line in lines { Terminal.say("  \(line)") }
    }

    /// Runs one step.
    /// - Parameters:
    ///   - name: Shown, and named in the failure.
    ///   - limit: The longest it may take.
    ///   - advice: What to do when it takes longer, and about an error without a ``Remedy``.
    ///   - code: What a script is told of its failure, where the error does not say.
    ///   - late: Why it takes longer, asked when it does; nil for no more than that.
    ///   - summary: What to show of the result.
    ///   - body: The work; an error that it throws is the reason of the failure.
    func run<Result: Sendable>(
        _ name: String, limit: Duration, advice: String, code: EndCode = .failed,
        late: @escaping @Sendable () -> Late? = { nil }, summary: @Sendable (Result) -> String = { _ in "" },
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        begun.insert(name)
        let clock = ContinuousClock()
        let start = clock.now
        let progress = showsLines ? Task { await Self.showProgress(name, since: start) } : nil
        defer { progress?.cancel() }
        do {
            let result = try await race(name, limit: limit, advice: advice, code: code, late: late, body)
            let taken = start.duration(to: clock.now)
            done.append(WalkthroughReport.Step(name: name, milliseconds: taken.milliseconds))
            progress?.cancel()
            if showsLines {
                Terminal.progress("")
                Terminal.say(Self.line("✓", name, taken, summary(result)))
            }
            return result
        } catch {
            progress?.cancel()
            if showsLines {
                Terminal.progress("")
                Terminal.say(Self.line("✗", name, start.duration(to: clock.now), ""))
            }
            throw error
        }
    }

    private func race<Result: Sendable>(
        _ name: String, limit: Duration, advice: String, code: EndCode, late: @escaping @Sendable () -> Late?,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { [camera] group in
            defer { group.cancelAll() }
            group.addTask {
                do {
                    return try await body()
                } catch let failure as StepFailure {
                    throw failure
                } catch let error as CommandError {
                    throw error
                } catch {
                    let remedy = Remedy(for: error)
                    throw StepFailure(
                        step: name, reason: remedy?.reason ?? "\(error)", advice: remedy?.advice ?? advice,
                        code: EndCode(for: error) ?? code, cause: error)
                }
            }
            group.addTask {
                try await Task.sleep(for: limit)
                let late = late()
                throw StepFailure(
                    step: name, reason: late?.reason ?? "nothing within \(limit.text)", advice: late?.advice ?? advice,
                    code: code)
            }
            if let camera {
                group.addTask {
                    guard let status = await camera.exit() else { throw CancellationError() }
                    let complaint = camera.lastComplaint.map { ": \($0)" } ?? ""
                    throw StepFailure(
                        step: name, reason: "the camera's process ended (exit status \(status))\(complaint)",
                        advice: "Mend what it says, or start 'porchlight camera' by hand to see more.")
                }
            }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    private static func showProgress(_ name: String, since start: ContinuousClock.Instant) async {
        var told = Duration.zero
        while (try? await Task.sleep(for: .milliseconds(200))) != nil {
            let taken = start.duration(to: .now)
            if Terminal.isInteractive {
                Terminal.progress(line("…", name, taken, ""))
            } else if taken - told >= .seconds(5) {
                told = taken
                Terminal.say(line("…", name, taken, "still waiting"))
            }
        }
    }

    private static func line(_ mark: String, _ name: String, _ taken: Duration, _ detail: String) -> String {
        let column = name.padding(toLength: 36, withPad: " ", startingAt: 0)
        let time = "\(taken.milliseconds) ms"
        let padding = String(repeating: " ", count: max(0, 9 - time.count))
        return "\(mark) \(column)\(padding)\(time)\(detail.isEmpty ? "" : "   \(detail)")"
    }
}

extension Duration {
    /// `35 s`, or `200 ms` for less than a second.
    var text: String { self < .seconds(1) ? "\(milliseconds) ms" : "\(Int((self / .seconds(1)).rounded())) s" }

    /// Whole milliseconds, rounded to the nearest.
    var milliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}
