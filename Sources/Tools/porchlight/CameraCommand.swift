import Basics
import CameraDevice
import CoreBluetooth
import Foundation
import Wire

/// Runs a camera until it is interrupted.
enum CameraCommand: Command {
    static let name = "camera"
    static let summary = "Makes this machine a camera."
    static let options: [Arguments.Option] = [
        .value("cloud"), .value("state"), .value("model"), .value("video"), .value("size"), .value("fps"),
        .value("bitrate"), .value("wifi"), .value("layouts"), .flag("require-setup-code"), .flag("new-setup-code"),
        .flag("json"), .flag("exit-with-parent"),
    ]
    static let help = """
        porchlight camera --cloud URL --state DIR [OPTIONS]

        Waits to be paired over Bluetooth, joins the network that it is given, registers with the cloud and streams to
        whoever the cloud lets in. SIGINT and SIGTERM end it.

          --cloud URL         The cloud to register with.
          --state DIR         Where its key and registration live; made if it is not there.
          --model NAME        What it calls itself (default: Porchlight Reference).
          --wifi WAY          How it joins networks (default: auto):
                              an interface such as wlan0, with wpa_supplicant, for the camera alone;
                              simulated: a made-up list ('Porchlight Demo', password 'porchlight');
                              none: the camera is wired, and lists just that;
                              auto: the first interface that wpa_supplicant has for us, else simulated.
          --layouts LIST      How apps may hand over the network (default: standard,chunked,protected).
          --require-setup-code
                              Pair with nobody who does not have its setup code; the protected layout alone.
          --new-setup-code    Make another setup code, and print it. The first start makes one by itself.
          --video SOURCE      auto, pattern, or a device such as /dev/video0 (default: auto).
          --size WxH          Picture size (default: 1280x720).
          --fps N             Frames a second (default: 30).
          --bitrate N         Bits a second (default: 2000000).
          --json              Print events as JSON, one object a line: event, its fields, text.
          --exit-with-parent  End when standard input ends.
        """

    static func run(_ arguments: Arguments) async throws {
        try RadioWish.check()
        let address = try arguments.required("cloud")
        guard let url = URL(string: address) else { throw CommandError.usage("'\(address)' is not an address.") }
        var configuration = CameraConfiguration(
            stateDirectory: try arguments.required("state"), destinations: try CameraDestinations(everywhere: url))
        if let model = arguments["model"] { configuration.model = model }
        configuration.videoInput =
            switch arguments["video"] {
            case nil, "auto": .automatic
            case "pattern": .testPattern
            case .some(let path): .device(path: path)
            }
        try readVideo(arguments, into: &configuration.video)
        try readPairing(arguments, into: &configuration)
        configuration.networks = try await networks(arguments["wifi"] ?? "auto")

        let interruption = await Interruption()
        let camera = Camera(configuration)
        let json = arguments.has("json")
        let failure = await withTaskGroup(of: CameraError?.self) { group in
            group.addTask {
                await interruption.wait()
                return nil
            }
            if arguments.has("exit-with-parent") {
                group.addTask {
                    await endOfInput()
                    return nil
                }
            }
            group.addTask {
                do throws(CameraError) {
                    try await camera.start()
                } catch {
                    return error
                }
                var failure: CameraError?
                for await event in camera.events {
                    let line = CameraEventLine(event)
                    if json { try? Terminal.say(json: line) } else { Terminal.say(line.line) }
                    if case .failed(let error) = event { failure = error }
                }
                return failure
            }
            let failure = await group.next() ?? nil
            await camera.stop()
            group.cancelAll()
            return failure
        }
        if let failure { throw failure }
    }

    private static func networks(_ way: String) async throws -> any NetworkJoiner {
        switch way {
        case "simulated": return SimulatedNetworks()
        case "none": return SimulatedNetworks(SimulatedNetworks.wired, delays: .none)
        case "auto":
            guard let interface = await WpaSupplicant.freeInterface() else { return SimulatedNetworks() }
            return try await WpaSupplicant.open(interface)
        default:
            // The length that the kernel allows for an interface's name.
            guard (1...15).contains(way.utf8.count), !way.contains("/"), !way.contains(" ") else {
                throw CommandError.usage(
                    "'--wifi' is auto, simulated, none or an interface such as wlan0, not '\(way)'.")
            }
            return try await WpaSupplicant.open(way)
        }
    }

    /// What is said of pairing.
    static func readPairing(
        _ arguments: Arguments, into configuration: inout CameraConfiguration
    ) throws(CommandError) {
        configuration.requiresSetupCode = arguments.has("require-setup-code")
        configuration.renewsSetupCode = arguments.has("new-setup-code")
        if let list = arguments["layouts"] {
            guard !configuration.requiresSetupCode else {
                throw .usage("'--require-setup-code' means the protected layout alone. Leave out '--layouts'.")
            }
            configuration.layouts = []
            for word in list.split(separator: ",", omittingEmptySubsequences: false) {
                guard let layout = PairingLayout.allCases.first(where: { "\($0)" == word }) else {
                    throw .usage("'--layouts' is a list of standard, chunked and protected, not '\(list)'.")
                }
                configuration.layouts.insert(PairingInfo.Layouts(layout))
            }
        }
        guard configuration.renewsSetupCode, !configuration.offersProtectedPairing else { return }
        throw .usage("'--new-setup-code' is of no use without the protected layout. Add it to '--layouts'.")
    }

    private static func readVideo(
        _ arguments: Arguments, into video: inout CameraConfiguration.Video
    ) throws(CommandError) {
        if let text = arguments["size"] {
            let numbers = text.split(separator: "x").compactMap { Int($0) }
            guard numbers.count == 2, numbers.allSatisfy({ (16...4096).contains($0) && $0 % 2 == 0 }) else {
                throw .usage("'--size' is two even numbers such as 1280x720, not '\(text)'.")
            }
            (video.width, video.height) = (numbers[0], numbers[1])
        }
        video.framesPerSecond = try arguments.integer("fps", in: 1...120) ?? video.framesPerSecond
        video.bitrate = try arguments.integer("bitrate", in: 50_000...50_000_000) ?? video.bitrate
    }

    /// Returns when standard input ends: whoever started this camera is gone.
    private static func endOfInput() async {
        for await _ in LineReader.lines(of: .standardInput) {}
    }
}
