import Foundation

/// What the commands show to a person.
enum Terminal {
    /// Writes one line to standard output at once, also into a pipe.
    static func say(_ line: String) { write(line + "\n", to: .standardOutput) }

    /// Writes one line to standard error, after the program's name.
    static func complain(_ line: String) { write("porchlight: \(line)\n", to: .standardError) }

    /// Writes a line of another program to standard error, as it is.
    static func passOn(_ line: String) { write(line + "\n", to: .standardError) }

    /// Writes one line of JSON to standard output, keys sorted.
    static func say(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        say(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Overwrites the current line, where standard output is a terminal; does nothing elsewhere.
    static func progress(_ text: String) {
        guard isInteractive else { return }
        write("\r\u{1B}[K\(text)", to: .standardOutput)
    }

    static let isInteractive = isatty(STDOUT_FILENO) != 0

    private static func write(_ text: String, to handle: FileHandle) {
        // A closed reader is its own business; there is nobody left to tell.
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
