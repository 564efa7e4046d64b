import Foundation
import Porchlight
import Wire

/// What a companion app does, on the command line: pairs a camera that is in its range, and looks at its picture.
enum PairCommand: Command {
    static let name = "pair"
    static let summary = "Pairs a camera that is near with a cloud, over Bluetooth."
    static let options: [Arguments.Option] = [
        .value("cloud"), .value("space"), .value("token-file"), .value("ssid"), .value("password-file"), .flag("open"),
        .flag("hidden"), .value("camera"), .value("snapshot"), .flag("json"),
    ]
    static let help = """
        porchlight pair --cloud URL --space ID --token-file FILE --ssid NAME [OPTIONS]

        Finds a camera over Bluetooth, gives it the network and the cloud, waits until the cloud has it, opens its live
        view, saves a picture and prints the address of the page that shows the camera. 'porchlight serve' prints the
        cloud's address, the space and the token's file.
        The network's password is asked for, unless one of these says where it is:

          --password-file FILE  The file's first line; '-' for standard input.
          --open                The network has none.

          --ssid NAME           The network that the camera is to join.
          --hidden              It hides its name, so the camera cannot list it.
          --camera NAME         Which camera, such as 'Camera A1B2' or PORCH-A1B2 (default: the nearest).
          --snapshot FILE       Where the picture goes (default: porchlight-<end of the device id>.png, here).
          --json                Print one JSON object instead of lines.

        Bluetooth is BlueZ's where the machine has a system bus; PORCHLIGHT_ADAPTER=hci1 chooses an adapter. An adapter does
        not hear itself: with PORCHLIGHT_RADIO=software a camera of the same machine is found.
        A step that takes longer than this fails: Bluetooth 10 s, finding a camera 35 s, connecting 25 s, device id 10 s,
        network list 95 s, pairing session 20 s, credentials 35 s, camera in the cloud 180 s, paired 60 s, live view 35 s,
        frames 20 s, signal 20 s, snapshot 10 s.
        """

    static func run(_ arguments: Arguments) async throws {
        try RadioWish.check()
        let cloud = try CloudAddress.read(try arguments.required("cloud"))
        let space = try arguments.required("space")
        let tokenFile = try arguments.required("token-file")
        let ssid = try arguments.required("ssid")
        try JoinWish.check(ssid: ssid)
        let choice = try arguments["camera"].map { name throws(CommandError) in try CameraChoice(name) }
        let json = arguments.has("json")
        let steps = Steps(showsLines: !json)
        do {
            try Walkthrough.checkSnapshot(arguments["snapshot"])
            let token = try Secret(inFile: tokenFile, "token")
            let source = try PasswordSource(arguments)
            let interruption = await Interruption()
            let password = try await interruption.ends("pair") { try await source.password() }
            let network = JoinWish(ssid: ssid, password: password, isHidden: arguments.has("hidden"))
            try network.check()
            InstaSDK.configure(environment: .production, region: .us, cloud: cloud, token: token)
            let walk = Walkthrough(
                steps: steps, spaceID: space, network: network, cameraChoice: choice,
                snapshot: arguments["snapshot"].map { URL(filePath: $0) }, framesToSee: 5)
            let outcome = try await interruption.ends("pair", advice: walk.adviceAfterInterruption) {
                try await walk.run()
            }
            let page = LivePage(cloud: cloud, spaceID: space, deviceID: outcome.deviceID)
            if json {
                var report = outcome.report(await steps.done)
                report.liveAddress = page.address
                try Terminal.say(json: report)
            } else {
                Terminal.say("Live: \(page.address)&token=TOKEN")
                Terminal.say("  Write the token in place of TOKEN; the token is in \(tokenFile)")
            }
        } catch let error as CommandError {
            throw error
        } catch {
            let failure = error as? StepFailure ?? StepFailure(step: "pair", reason: "\(error)", advice: "Start again.")
            if json { try Terminal.say(json: StepFailureReport(failure, done: await steps.done)) }
            throw CommandError.failed(failure.description)
        }
    }
}
