import Foundation

/// The command line: `porchlight COMMAND [OPTIONS]`.
@main
struct Porchlight {
    private static var commands: [any Command.Type] {
        [DemoCommand.self, ServeCommand.self, CameraCommand.self, PairCommand.self, DoctorCommand.self]
    }

    static func main() async {
        // A reader that goes away (`| head`) must end a write with an error, not the process with a signal.
        signal(SIGPIPE, SIG_IGN)
        var words = Array(CommandLine.arguments.dropFirst())
        let name = words.isEmpty ? "help" : words.removeFirst()
        do {
            switch name {
            case "help", "--help", "-h":
                print(try words.first.map { try command(named: $0).help } ?? help)
            case "version", "--version":
                print("porchlight \(version)")
            default:
                let command = try command(named: name)
                if words.contains("--help") || words.contains("-h") {
                    print(command.help)
                } else {
                    try await command.run(try Arguments(words, options: command.options))
                }
            }
        } catch let error as CommandError {
            Terminal.complain(error.description)
            exit(error.exitCode)
        } catch {
            Terminal.complain("\(error)")
            exit(CommandError.failureCode)
        }
    }

    private static func command(named name: String) throws(CommandError) -> any Command.Type {
        guard let command = commands.first(where: { $0.name == name }) else {
            throw .usage("'\(name)' is not a command. See 'porchlight help'.")
        }
        return command
    }

    static let version = "0.1.0"

    private static var help: String {
        """
        Pairs cameras over Bluetooth and shows them live.

        porchlight COMMAND [OPTIONS]

        \(commands.map { "  \($0.name.padding(toLength: 10, withPad: " ", startingAt: 0))\($0.summary)" }.joined(separator: "\n"))
          version   Prints the version.

        'porchlight help COMMAND' explains a command. Exit codes: 0 done, 1 failed, 64 wrong usage; 'pair' has more.
        Environment: PORCHLIGHT_LOG=debug|info|warning|error|off; PORCHLIGHT_RADIO=bluez|software; PORCHLIGHT_ADAPTER,
        BlueZ's adapter such as hci1; PORCHLIGHT_RADIO_DIR, where the processes of one software radio meet;
        PORCHLIGHT_STATE, where CoreBluetooth keeps what it knows of peripherals.
        """
    }
}
