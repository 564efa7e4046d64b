import Foundation
import Porchlight
import Wire

/// What a companion app does, on the command line: pairs a camera that is in its range, and looks at its picture.
enum PairCommand: Command {
    static let name = "pair"
    static let summary = "Pairs a camera that is near with a cloud, over Bluetooth."
    static let options: [Arguments.Option] = [
        .value("cloud"), .value("space"), .value("token-file"), .value("ssid"), .value("password-file"), .flag("open"),
        .flag("hidden"), .value("camera"), .value("setup-code"), .value("setup-code-file"), .flag("protected"),
        .value("snapshot"), .flag("json"),
    ]
    static let help = """
        porchlight pair --cloud URL --space ID --token-file FILE [OPTIONS]

        Finds cameras over Bluetooth, asks which one and which of the networks that it hears, gives it the network and the
        cloud, waits until the cloud has it, opens its live view, saves a picture and prints the address of the page that
        shows the camera. 'porchlight serve' prints the cloud's address, the space and the token's file.
        What an option says is not asked. Where standard input is no terminal, each of its lines is an answer.

          --camera NAME           Which camera, such as 'Camera A1B2' or PORCH-A1B2.
          --ssid NAME             The network that the camera is to join.
          --hidden                It hides its name, so the camera cannot list it.
          --password-file FILE    Its password is the file's first line; '-' for standard input, which then answers nothing
                                  else: the nearest camera is taken, and --ssid is needed.
          --open                  It has none.
          --protected             Say nothing that a listener could read: refuse a camera that cannot do that.
          --setup-code-file FILE  The code that is printed on the camera is the file's first line. Implies --protected.
          --setup-code CODE       The code itself. Every program of this machine can read it while this one runs.
          --snapshot FILE         Where the picture goes (default: porchlight-<end of the device id>.png, here).
          --json                  Ask nothing and print one JSON object instead of lines. Needs --ssid, and --open or
                                  --password-file; takes the nearest camera, or that of --camera.

        Bluetooth is BlueZ's where the machine has a system bus; PORCHLIGHT_ADAPTER=hci1 chooses an adapter. An adapter does
        not hear itself: with PORCHLIGHT_RADIO=software a camera of the same machine is found. 'porchlight doctor' says what
        is missing. TERM=dumb or NO_COLOR=1 make lists plain lines.
        A step that takes longer than this fails: Bluetooth 10 s, finding a camera 35 s, connecting 25 s, device id 10 s,
        network list 95 s, pairing session 20 s, credentials 35 s, camera in the cloud 180 s, paired 60 s, live view 35 s,
        frames 20 s, signal 20 s, snapshot 10 s.

        Exit codes: 0 paired; 10 no Bluetooth, 11 no camera, 12 no connection to it; 13 no such network, 14 wrong password,
        15 not joined for another reason; 16 wrong setup code, 17 locked after too many, 18 no agreement on protection;
        20 the cloud, 21 the camera is not accepted by it, 22 no picture; 64 wrong usage, 130 interrupted, 1 anything else.
        """

    /// What a cloud's owner knows.
    private struct Home {
        var cloud: URL
        var space: String
        var tokenFile: String

        init(_ arguments: Arguments) throws(CommandError) {
            for name in ["cloud", "space", "token-file"] where arguments[name] == nil {
                throw .usage(
                    "'--\(name)' is needed: 'porchlight serve' prints the cloud's address, its space and its token's file."
                )
            }
            cloud = try CloudAddress.read(try arguments.required("cloud"))
            space = try arguments.required("space")
            tokenFile = try arguments.required("token-file")
        }
    }

    static func run(_ arguments: Arguments) async throws {
        try RadioWish.check()
        let home = try Home(arguments)
        let json = arguments.has("json")
        let steps = Steps(showsLines: !json)
        do {
            try await run(arguments, home, steps, json)
        } catch let error as CommandError {
            throw error
        } catch {
            let failure = error as? StepFailure ?? StepFailure(step: "pair", reason: "\(error)", advice: "Start again.")
            if json { try Terminal.say(json: StepFailureReport(failure, done: await steps.done)) }
            throw CommandError.failed(failure.description, code: failure.code)
        }
    }

    private static func run(_ arguments: Arguments, _ home: Home, _ steps: Steps, _ json: Bool) async throws {
        var answers = try answers(arguments, json)
        try Walkthrough.checkSnapshot(arguments["snapshot"])
        let token = try Secret(inFile: home.tokenFile, "token")
        let interruption = await Interruption()
        let input = answers.dialogue?.input ?? InputReader()
        let password = try await interruption.ends("pair") { try await PasswordSource(arguments, input: input) }
        if case .known(let password) = password { try JoinWish.check(password: password) }
        answers.password = password
        InstaSDK.configure(environment: .production, region: .us, cloud: home.cloud, token: token)
        let walk = Walkthrough(
            steps: steps, spaceID: home.space, answers: answers,
            snapshot: arguments["snapshot"].map { URL(filePath: $0) }, framesToSee: 5)
        let ending: Walkthrough.Ending
        do {
            ending = try await interruption.ends("pair", advice: walk.adviceAfterInterruption) { try await walk.run() }
        } catch {
            await walk.leave()
            throw error
        }
        switch ending {
        case .watched(let outcome): try tell(outcome, home, await steps.done, json)
        case .joined(let onboarding): try tell(onboarding, await steps.done, json)
        }
    }

    private static func tell(
        _ outcome: Walkthrough.Outcome, _ home: Home, _ done: [WalkthroughReport.Step], _ json: Bool
    ) throws {
        let page = LivePage(cloud: home.cloud, spaceID: home.space, deviceID: outcome.deviceID)
        guard json else {
            Terminal.say("Live: \(page.address)&token=TOKEN")
            return Terminal.say("  Write the token in place of TOKEN; the token is in \(home.tokenFile)")
        }
        var report = outcome.report(done)
        report.liveAddress = page.address
        try Terminal.say(json: report)
    }

    private static func tell(
        _ onboarding: Walkthrough.Onboarding, _ done: [WalkthroughReport.Step], _ json: Bool
    ) throws {
        guard json else {
            Terminal.say("\(onboarding.name) is on the network. It speaks Improv, and has no place in the cloud.")
            if let page = onboarding.page { Terminal.say("It wants you to go on at \(page.absoluteString)") }
            return
        }
        try Terminal.say(json: onboarding.report(done))
    }

    /// What the options say, without the password.
    private static func answers(_ arguments: Arguments, _ json: Bool) throws -> PairingAnswers {
        let isSilent = json || PasswordSource.isInStandardInput(arguments)
        if isSilent, arguments["ssid"] == nil {
            throw CommandError.usage("'--ssid' is needed here, where nothing is asked.")
        }
        if json, !arguments.has("open"), arguments["password-file"] == nil {
            throw CommandError.usage("A password is needed: '--password-file FILE', or '--open' for a network without.")
        }
        if arguments.has("hidden"), arguments["ssid"] == nil { throw CommandError.usage("'--hidden' needs '--ssid'.") }
        if let ssid = arguments["ssid"] { try JoinWish.check(ssid: ssid) }
        return PairingAnswers(
            camera: try arguments["camera"].map { name throws(CommandError) in try CameraChoice(name) },
            ssid: arguments["ssid"], isHidden: arguments.has("hidden"), password: .asked,
            setupCode: try setupCode(arguments), isProtected: arguments.has("protected"),
            dialogue: isSilent ? nil : Dialogue())
    }

    private static func setupCode(_ arguments: Arguments) throws -> SetupCode? {
        let text: Secret
        switch (arguments["setup-code"], arguments["setup-code-file"]) {
        case (nil, nil): return nil
        case (let code?, nil): text = Secret(code)
        case (nil, let path?): text = try Secret(inFile: path, "setup code")
        default: throw CommandError.usage("'--setup-code' and '--setup-code-file' exclude each other.")
        }
        do throws(WireError) {
            return try SetupCode(text)
        } catch {
            throw CommandError.usage("A setup code has \(SetupCode.digitCount) digits; it is printed on the camera.")
        }
    }
}
