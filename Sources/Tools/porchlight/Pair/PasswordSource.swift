import Foundation
import Wire

/// Where the network's password comes from: a file, standard input or a person, never the command line, which every
/// program can read.
enum PasswordSource: Sendable {
    /// It has been read, or there is none.
    case known(Secret)
    /// Whoever answers questions is asked when the network is known.
    case asked

    /// Whether standard input holds the password, and no answers.
    static func isInStandardInput(_ arguments: Arguments) -> Bool { arguments["password-file"] == "-" }

    /// Reads a file, or the first line of standard input, for as long as that takes.
    /// - Throws: ``CommandError``, ``StepFailure``.
    init(_ arguments: Arguments, input: InputReader) async throws {
        if arguments.has("open") {
            guard arguments["password-file"] == nil else {
                throw CommandError.usage("'--open' and '--password-file' exclude each other.")
            }
            self = .known(Secret(""))
            return
        }
        guard let path = arguments["password-file"] else {
            self = .asked
            return
        }
        guard path == "-" else {
            self = .known(try Secret(inFile: path, "password"))
            return
        }
        guard let line = await Self.firstLine(of: input), !line.isEmpty else {
            throw CommandError.usage("Standard input holds no password. For a network without one say '--open'.")
        }
        self = .known(Secret(line))
    }

    private static func firstLine(of input: InputReader) async -> String? {
        var line = TypedLine(hasKeys: false)
        while let bytes = await input.read() {
            for byte in bytes {
                if case .entered(let text) = line.take(byte) { return text }
            }
        }
        if case .entered(let text) = line.end() { return text }
        return nil
    }
}
