/// Why the demo ended early: which step, what happened, what to do.
struct DemoFailure: Error, CustomStringConvertible {
    var step: String
    var reason: String
    var advice: String

    var description: String { "'\(step)' failed: \(reason)\n  \(advice)" }
}
