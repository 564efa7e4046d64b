/// Why a walk ended early: which step, what happened, what to do.
struct StepFailure: Error, CustomStringConvertible {
    var step: String
    var reason: String
    var advice: String

    /// Two lines, also where the reason quotes a name from the air.
    var description: String { "'\(step)' failed: \(Terminal.visible(reason))\n  \(Terminal.visible(advice))" }
}
