/// Why a walk ended early: which step, what happened, what to do.
struct StepFailure: Error, CustomStringConvertible {
    var step: String
    var reason: String
    var advice: String
    /// What a script is told.
    var code = EndCode.failed
    /// What it was made of, where that is of use to somebody.
    var cause: (any Error)?

    /// Two lines, also where the reason quotes a name from the air.
    var description: String { "'\(step)' failed: \(Terminal.visible(reason))\n  \(Terminal.visible(advice))" }
}
