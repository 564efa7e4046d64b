import Foundation
import Glibc

/// What a person looks at, and what it can do.
struct Screen: Sendable {
    /// Whether lines can be drawn again in place: a terminal that is neither dumb nor asked to be plain.
    var isLive: Bool
    /// Where questions go.
    var output: FileHandle

    /// Standard output; when that is a file and a person types, their terminal.
    static var standard: Screen {
        let environment = ProcessInfo.processInfo.environment
        if isatty(STDOUT_FILENO) != 0 { return Screen(isLive: canDraw(environment), output: .standardOutput) }
        let typing = isatty(STDIN_FILENO) != 0 ? FileHandle(forWritingAtPath: "/dev/tty") : nil
        return Screen(isLive: false, output: typing ?? .standardOutput)
    }

    /// Whether the environment asks for plain lines: `TERM=dumb`, or `NO_COLOR`, which stands for all decoration here.
    static func canDraw(_ environment: [String: String]) -> Bool {
        let isPlain = environment["NO_COLOR"]?.isEmpty == false
        return !isPlain && !["", "dumb"].contains(environment["TERM"] ?? "")
    }

    /// Columns and rows; 80 and 24 where they are not told.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(output.fileDescriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes text whose names are visible already.
    func write(_ text: String) {
        // A closed reader is its own business; there is nobody left to tell.
        try? output.write(contentsOf: Data(text.utf8))
    }
}
