/// Why a walk ended early: which step, what happened, what to do.
struct StepFailure: Error, CustomStringConvertible {
    var step: String
    var reason: String
    var advice: String

    var description: String { "'\(step)' failed: \(reason)\n  \(advice)" }
}
