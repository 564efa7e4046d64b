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
        view and saves a picture. 'porchlight serve' prints the cloud's address, the space and the token's file.
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
        let address = try arguments.required("cloud")
        guard let cloud = URL(string: address), let host = cloud.host(), !host.isEmpty,
            ["http", "https"].contains(cloud.scheme?.lowercased())
        else {
            throw CommandError.usage("'\(address)' is no address of a cloud, such as https://cloud.example.")
        }
        let space = try arguments.required("space")
        let tokenFile = try arguments.required("token-file")
        let ssid = try arguments.required("ssid")
        try JoinWish.check(ssid: ssid)
        let choice = try arguments["camera"].map { name throws(CommandError) in try CameraChoice(name) }
        let json = arguments.has("json")
        let steps = Steps(showsLines: !json)
        do {
            try Walkthrough.checkSnapshot(arguments["snapshot"])
            let token = try secret(inFile: tokenFile, "token")
            let network = JoinWish(ssid: ssid, password: try password(arguments), isHidden: arguments.has("hidden"))
            try network.check()
            InstaSDK.configure(environment: .production, region: .us, cloud: cloud, token: token)
            let walk = Walkthrough(
                steps: steps, spaceID: space, network: network, cameraChoice: choice,
                snapshot: arguments["snapshot"].map { URL(filePath: $0) }, framesToSee: 5)
            let outcome = try await Interruption().ends("pair") { try await walk.run() }
            if json { try Terminal.say(json: outcome.report(await steps.done)) }
        } catch let error as CommandError {
            throw error
        } catch {
            let failure = error as? StepFailure ?? StepFailure(step: "pair", reason: "\(error)", advice: "Start again.")
            if json { try Terminal.say(json: StepFailureReport(failure, done: await steps.done)) }
            throw CommandError.failed(failure.description)
        }
    }

    // MARK: Secrets: from files, standard input or a terminal, never from the command line, which every program can read

    private static func password(_ arguments: Arguments) throws -> Secret {
        if arguments.has("open") {
            guard arguments["password-file"] == nil else {
                throw CommandError.usage("'--open' and '--password-file' exclude each other.")
            }
            return Secret("")
        }
        if let path = arguments["password-file"] {
            guard path == "-" else { return try secret(inFile: path, "password") }
            guard let line = readLine(), !line.isEmpty else {
                throw CommandError.usage("Standard input holds no password. For a network without one say '--open'.")
            }
            return Secret(line)
        }
        guard isatty(STDIN_FILENO) != 0, let typed = getpass("Password of the network: ") else {
            throw CommandError.usage("A password is needed: '--password-file FILE', or '--open' for a network without.")
        }
        let text = String(cString: typed)
        guard !text.isEmpty else { throw CommandError.usage("For a network without a password say '--open'.") }
        return Secret(text)
    }

    private static func secret(inFile path: String, _ what: String) throws -> Secret {
        let text: String
        do {
            text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        } catch {
            throw StepFailure(
                step: "prepare", reason: "the \(what) cannot be read from \(path): \(error.localizedDescription)",
                advice: "Check the file's name and who may read it.")
        }
        let line = text.prefix { !$0.isNewline }
        guard !line.isEmpty else {
            throw StepFailure(
                step: "prepare", reason: "\(path) holds no \(what) in its first line",
                advice: "Write it there, or name another file.")
        }
        return Secret(String(line))
    }
}
