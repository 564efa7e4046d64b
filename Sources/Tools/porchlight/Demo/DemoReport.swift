/// What `porchlight demo --once --json` prints when every step went well.
struct DemoReport: Encodable {
    struct Step: Encodable {
        var name: String
        var milliseconds: Int
    }

    var steps: [Step]
    var deviceId: String
    var frames: Int
    var width: Int
    var height: Int
    var codec: String
    var firstFrameMilliseconds: Int
    var snapshot: String
}

/// What it prints when a step failed.
struct DemoFailureReport: Encodable {
    struct Failure: Encodable {
        var step: String
        var reason: String
        var advice: String
    }

    var error: Failure
    var steps: [DemoReport.Step]

    init(_ failure: DemoFailure, done steps: [DemoReport.Step]) {
        error = Failure(step: failure.step, reason: failure.reason, advice: failure.advice)
        self.steps = steps
    }
}
