/// What `porchlight pair --json` and `porchlight demo --once --json` print when every step went well.
struct WalkthroughReport: Encodable {
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
    /// The Wi-Fi signal as the camera has it, in dBm.
    var rssi: Int
    var snapshot: String
    /// The page that shows the camera, without the token; nil when the cloud ends with the program.
    var liveAddress: String?
}

/// What `porchlight pair --json` prints of a device that is not ours, and has been brought onto a network.
struct OnboardingReport: Encodable {
    var steps: [WalkthroughReport.Step]
    var name: String
    /// Where the device wants the person to go on; nil when it has not said.
    var onboardingPage: String?
}

/// What they print when a step failed.
struct StepFailureReport: Encodable {
    struct Failure: Encodable {
        var step: String
        var reason: String
        var advice: String
        /// The name of the exit code, such as `wrongPassword`.
        var kind: String
        var exitCode: Int32
    }

    var error: Failure
    var steps: [WalkthroughReport.Step]

    init(_ failure: StepFailure, done steps: [WalkthroughReport.Step]) {
        error = Failure(
            step: failure.step, reason: failure.reason, advice: failure.advice,
            kind: "\(failure.code)", exitCode: failure.code.rawValue)
        self.steps = steps
    }
}
