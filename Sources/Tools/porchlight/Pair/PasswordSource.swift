import Foundation
import Wire

/// Where the network's password comes from: a file, standard input or a terminal, never the command line, which every
/// program can read.
enum PasswordSource: Sendable {
    /// It has been read, or there is none.
    case known(Secret)
    /// The first line of a pipe.
    case standardInput
    /// A person types it.
    case terminal

    /// Reads a file at once; what a person or another program still has to say is left to ``password()``.
    init(_ arguments: Arguments) throws {
        if arguments.has("open") {
            guard arguments["password-file"] == nil else {
                throw CommandError.usage("'--open' and '--password-file' exclude each other.")
            }
            self = .known(Secret(""))
        } else if let path = arguments["password-file"] {
            self = path == "-" ? .standardInput : .known(try Secret(inFile: path, "password"))
        } else {
            guard isatty(STDIN_FILENO) != 0 else { throw Self.nobodyToAsk }
            self = .terminal
        }
    }

    /// The password, waited for as long as it takes; cancelling ends the wait and gives the terminal its echo back.
    func password() async throws -> Secret {
        switch self {
        case .known(let password):
            return password
        case .standardInput:
            guard let line = await Self.firstLine(), !line.isEmpty else {
                throw CommandError.usage("Standard input holds no password. For a network without one say '--open'.")
            }
            return Secret(line)
        case .terminal:
            let typing = HiddenTyping("Password of the network: ")
            defer { typing.end() }
            guard let line = await Self.firstLine() else { throw Self.nobodyToAsk }
            guard !line.isEmpty else { throw CommandError.usage("For a network without a password say '--open'.") }
            return Secret(line)
        }
    }

    private static var nobodyToAsk: CommandError {
        .usage("A password is needed: '--password-file FILE', or '--open' for a network without.")
    }

    private static func firstLine() async -> String? {
        for await line in LineReader.lines(of: .standardInput) { return String(line.prefix { !$0.isNewline }) }
        return nil
    }
}
