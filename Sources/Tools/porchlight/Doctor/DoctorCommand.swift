import CoreBluetooth
import DBus
import Foundation
import Wire

/// Says what works on this machine and what does not, and changes nothing.
enum DoctorCommand: Command {
    static let name = "doctor"
    static let summary = "Says what works on this machine, and what to do about the rest."
    static let options: [Arguments.Option] = [
        .value("for"), .value("cloud"), .value("token-file"), .value("space"), .value("port"), .value("state"),
        .value("data"), .flag("json"),
    ]
    static let help = """
        porchlight doctor [OPTIONS]

        Looks at Bluetooth, radio switches, Wi-Fi, video, network, clock and directories, and prints a line for each thing:
        ✓ works, · is worth knowing, ✗ is needed and broken. What to do stands below. It asks for no privilege and changes
        nothing. Run it with the account and the environment of the program that you ask about.

          --for ROLE         Only what this machine needs to be an app, a camera or a cloud (default: all three).
          --cloud URL        Also whether this cloud answers.
          --token-file FILE  Also whether it takes the token in this file; '-' for standard input.
          --space ID         Also whether the token is for this space.
          --port N           The port that a cloud here would have (default: 8080).
          --state DIR        Also the directory that a camera here would have.
          --data DIR         Also the directory that a cloud here would have.
          --json             Print one JSON object instead of lines.

        Exit codes: 0 nothing that is needed is broken, 1 something is, 64 wrong usage.
        """

    static func run(_ arguments: Arguments) async throws {
        let roles = try roles(arguments["for"])
        let checks = try checks(arguments, ProcessInfo.processInfo.environment)
        let report = DoctorReport(await Examination(checks: checks, roles: roles).run(), roles: roles)
        if arguments.has("json") {
            try Terminal.say(json: report)
        } else {
            for line in report.lines { Terminal.say(line) }
        }
        // What may still hang in a check that was left alone is not waited for.
        if !report.works { exit(CommandError.failureCode) }
    }

    private static func roles(_ name: String?) throws(CommandError) -> Set<Role> {
        guard let name else { return Set(Role.allCases) }
        guard let role = Role(rawValue: name) else {
            throw .usage("'--for' is app, camera or cloud, not '\(name)'.")
        }
        return [role]
    }

    private static func checks(_ arguments: Arguments, _ environment: [String: String]) throws -> [any Check] {
        let radio = CBManager.radioKind(environment: environment) { BusAddress.system.mayBeThere }
        let usesBlueZ = if case .blueZ = radio { true } else { false }
        var checks: [any Check] = [
            BluetoothCheck(radio: radio), RadioSwitchCheck(usesBlueZ: usesBlueZ), WiFiCheck(), MediaCheck(),
            LensCheck(),
            DatagramCheck(), PortCheck(port: try arguments.integer("port", in: 1...65_535) ?? 8080), ClockCheck(),
            DirectoryCheck(places: places(arguments, environment, radio)),
        ]
        if let address = arguments["cloud"] {
            let cloud = try CloudAddress.read(address)
            let token = try arguments["token-file"].map { path throws(StepFailure) in
                try Secret(inFile: path == "-" ? "/dev/stdin" : path, "token")
            }
            checks.append(CloudCheck(cloud: cloud, token: token, space: arguments["space"]))
        } else if arguments["token-file"] != nil || arguments["space"] != nil {
            throw CommandError.usage("'--token-file' and '--space' need '--cloud'.")
        }
        return checks
    }

    private static func places(
        _ arguments: Arguments, _ environment: [String: String], _ radio: CBManager.RadioKind
    ) -> [DirectoryCheck.Place] {
        var places = [
            DirectoryCheck.Place(
                name: "bluetooth", what: "What is known of Bluetooth devices",
                path: CBManager.stateDirectory(environment: environment).path, privacy: .any, roles: [.app, .camera],
                choice: "PORCHLIGHT_STATE")
        ]
        if case .software(let directory) = radio {
            places.append(
                DirectoryCheck.Place(
                    name: "radio", what: "The software radio", path: directory, privacy: .own, roles: [.app, .camera],
                    choice: "PORCHLIGHT_RADIO_DIR"))
        }
        if let path = arguments["state"] {
            places.append(
                DirectoryCheck.Place(
                    name: "camera", what: "The camera's key and registration", path: path, privacy: .secret,
                    roles: [.camera], choice: "--state"))
        }
        if let path = arguments["data"] {
            places.append(
                DirectoryCheck.Place(
                    name: "cloud", what: "The cloud's database", path: path, privacy: .any, roles: [.cloud],
                    choice: "--data"))
        }
        return places
    }
}
