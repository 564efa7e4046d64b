import Foundation

/// What the commands show to a person.
///
/// Names of networks and cameras come from the air, where anybody may choose them: what would control a terminal is shown,
/// not sent to it.
enum Terminal {
    /// Writes one line to standard output at once, also into a pipe. In a terminal the mark at its beginning has a colour.
    static func say(_ line: String) {
        let text = visible(line)
        write((isInteractive ? coloured(text) : text) + "\n", to: .standardOutput)
    }

    /// Writes a message, which may have several lines, to standard error, after the program's name.
    static func complain(_ message: String) {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false).map { visible(String($0)) }
        write("porchlight: \(lines.joined(separator: "\n"))\n", to: .standardError)
    }

    /// Writes a line of another program to standard error.
    static func passOn(_ line: String) { write(visible(line) + "\n", to: .standardError) }

    /// Writes one line of JSON to standard output, keys sorted.
    static func say(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        say(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Overwrites the current line, where standard output is a terminal; does nothing elsewhere.
    static func progress(_ text: String) {
        guard isInteractive else { return }
        let line = TextColumns.cut(visible(text), Screen.standard.size.columns - 1)
        write("\r\u{1B}[K\(coloured(line))", to: .standardOutput)
    }

    /// A line with its mark in green, red or grey; one without a mark as it is.
    static func coloured(_ line: String) -> String {
        let colours: [Character: Int] = ["✓": 32, "✗": 31, "…": 90, "·": 90]
        let indent = line.prefix { $0 == " " }
        guard let mark = line.dropFirst(indent.count).first, let colour = colours[mark] else { return line }
        return "\(indent)\u{1B}[\(colour)m\(mark)\u{1B}[0m\(line.dropFirst(indent.count + 1))"
    }

    /// The text with each character that would control a terminal, or turn the direction of writing, as a visible escape
    /// such as `\u{1B}`. A line break is one of them: what is shown stays on its line.
    static func visible(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { visible, scalar in
            switch scalar.value {
            case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069:
                visible += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: visible.unicodeScalars.append(scalar)
            }
        }
    }

    /// Whether lines of standard output can be drawn again in place.
    static let isInteractive = isatty(STDOUT_FILENO) != 0 && Screen.canDraw(ProcessInfo.processInfo.environment)

    private static func write(_ text: String, to handle: FileHandle) {
        // A closed reader is its own business; there is nobody left to tell.
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
