/// Lines at the end of a terminal's output that are drawn again in place.
///
/// A value that makes the text to be written; the cursor stays at the end of the last line, where a person types.
struct LiveRegion {
    /// The lines that stand there now.
    private(set) var lines: [String] = []

    /// Replaces the lines. Each fits the terminal's width, so that it takes one row.
    mutating func draw(_ new: [String]) -> String {
        let text = home + new.joined(separator: "\u{1B}[K\n") + "\u{1B}[J"
        lines = new
        return text
    }

    /// Takes all lines away.
    mutating func clear() -> String {
        guard !lines.isEmpty else { return "" }
        defer { lines = [] }
        return home + "\u{1B}[J"
    }

    /// To the beginning of the first line.
    private var home: String { lines.count > 1 ? "\r\u{1B}[\(lines.count - 1)A" : "\r" }
}
