import Foundation
import Wire

/// The main job from end to end: a cloud, a camera in a process of its own, and an app that pairs it and watches.
enum DemoCommand: Command {
    static let name = "demo"
    static let summary = "Pairs a camera with this machine's own cloud and shows it live."
    static let options: [Arguments.Option] = [
        .flag("once"), .flag("json"), .value("port"), .value("data"), .value("snapshot"), .value("ssid"),
        .value("password"),
    ]
    static let help = """
        porchlight demo [OPTIONS]

        Starts a cloud and, as a separate process, a camera; pairs the camera over Bluetooth, opens its live view and
        saves a picture. Then it stays up and prints the address of a page that shows the video, until Ctrl-C.
        The software radio carries the pairing between the two processes, unless PORCHLIGHT_RADIO=bluez; without
        /dev/video0 the camera films a test pattern.

          --once            End after the picture is saved.
          --json            Print one JSON object instead of lines. Needs --once.
          --port N          The cloud's port (default: any free one).
          --data DIR        Keep the cloud there (default: a temporary directory, removed at the end).
          --snapshot FILE   Where the picture goes (default: porchlight-<end of the device id>.png, here).
          --ssid NAME       The network to join (default: Porchlight Demo).
          --password TEXT   Its password (default: the right one, porchlight). Another one shows how pairing fails.

        A step that takes longer than this fails: cloud 20 s, camera 40 s, Bluetooth 10 s, finding a camera 35 s,
        connecting 25 s, device id 10 s, network list 95 s, pairing session 20 s, credentials 35 s, camera in the cloud
        180 s, paired 60 s, live view 35 s, frames 20 s, signal 20 s, snapshot 10 s. All fail at once when the camera's
        process ends.
        """

    static func run(_ arguments: Arguments) async throws {
        try RadioWish.check()
        let json = arguments.has("json")
        if json, !arguments.has("once") { throw CommandError.usage("'--json' needs '--once'.") }
        let port = try arguments.integer("port", in: 0...65_535) ?? 0
        let network = JoinWish(
            ssid: arguments["ssid"] ?? Demo.ssid, password: Secret(arguments["password"] ?? Demo.password))
        try network.check()
        let steps = Steps(showsLines: !json)
        do {
            try Walkthrough.checkSnapshot(arguments["snapshot"])
            try await run(arguments, steps: steps, port: port, network: network)
        } catch {
            let failure = error as? StepFailure ?? StepFailure(step: "demo", reason: "\(error)", advice: "Start again.")
            if json { try Terminal.say(json: StepFailureReport(failure, done: await steps.done)) }
            throw CommandError.failed(failure.description)
        }
    }

    private static func run(_ arguments: Arguments, steps: Steps, port: Int, network: JoinWish) async throws {
        let place = try DemoDirectory(cloud: arguments.directory("data"))
        defer { place.remove() }
        // One air for this process and the camera's, so that another demo on this machine does not hear it, and no trace
        // of it afterwards. Set before anything has been started that could read the environment meanwhile.
        setenv("PORCHLIGHT_RADIO_DIR", place.radio.path, 0)
        setenv("PORCHLIGHT_STATE", place.state.path, 0)

        let interruption = await Interruption()
        let demo = Demo(
            steps: steps, place: place, port: port, network: network,
            snapshot: arguments["snapshot"].map { URL(filePath: $0) })
        do {
            let outcome = try await demo.runUnlessInterrupted(interruption)
            if arguments.has("json") {
                try Terminal.say(json: outcome.report)
            } else if !arguments.has("once") {
                for line in ["", "Live: \(outcome.page)", "Ctrl-C ends it."] { Terminal.say(line) }
                await demo.stayUp(interruption)
            }
        } catch {
            await demo.stop()
            throw error
        }
        await demo.stop()
    }
}
