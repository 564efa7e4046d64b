import CloudServer
import Foundation
import Porchlight

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
        Without a Bluetooth adapter the software radio carries the pairing; without /dev/video0 the camera films a test
        pattern.

          --once            End after the picture is saved.
          --json            Print one JSON object instead of lines. Needs --once.
          --port N          The cloud's port (default: any free one).
          --data DIR        Keep the cloud and the camera there (default: a new temporary directory, removed at the end).
          --snapshot FILE   Where the picture goes (default: porchlight-<end of the device id>.png, temporary directory).
          --ssid NAME       The network to join (default: Porchlight Demo).
          --password TEXT   Its password (default: the right one, porchlight). Another one shows how pairing fails.
        """

    static func run(_ arguments: Arguments) async throws {
        let once = arguments.has("once")
        let json = arguments.has("json")
        if json, !once { throw CommandError.usage("'--json' needs '--once'.") }
        let port = try arguments.integer("port", in: 0...65_535) ?? 0
        let place = try DemoDirectory(kept: arguments.directory("data"))
        defer { place.remove() }

        // One air for this process and the camera's, so that another demo on this machine does not hear it. Set before
        // anything has been started that could read the environment meanwhile.
        setenv("PORCHLIGHT_RADIO_DIR", place.radio.path, 0)

        let steps = DemoSteps(showsLines: !json)
        let interruption = Interruption()
        let demo = Demo(
            steps: steps, place: place, port: port, ssid: arguments["ssid"] ?? Demo.ssid,
            password: arguments["password"] ?? Demo.password, snapshot: arguments["snapshot"].map { URL(filePath: $0) })
        do {
            let outcome = try await demo.runUnlessInterrupted(interruption)
            if json {
                try Terminal.say(json: outcome.report)
            } else if !once {
                Terminal.say("\nLive: \(outcome.page)\nCtrl-C ends it.")
                await demo.stayUp(interruption)
            }
            await demo.stop()
        } catch let failure as DemoFailure {
            await demo.stop()
            guard json else { throw CommandError.failed(failure.description) }
            let report = DemoFailureReport(
                error: .init(step: failure.step, reason: failure.reason, advice: failure.advice),
                steps: await steps.done)
            try Terminal.say(json: report)
            throw CommandError.failed(failure.description)
        } catch {
            await demo.stop()
            throw error
        }
    }
}
