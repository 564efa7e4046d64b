import Foundation
import Testing

/// A document of `docs/`, as its fenced examples.
struct ProtocolDocument {
    /// A fenced block whose opening line names a language and what the example is of: ` ```hex frames `.
    struct Example {
        var language: String
        var name: String
        var lines: [String]

        /// The whole block.
        var text: String { lines.joined(separator: "\n") }

        /// The values of a hex block, one a line, without what follows `;`.
        func values() throws -> [Data] {
            try lines.map { line in
                let digits = line.prefix { $0 != ";" }
                return Data(try digits.split(separator: " ").map { try #require(UInt8($0, radix: 16), "\(line)") })
            }
        }

        /// The objects of a JSON block: one for the block, or one a line.
        var objects: [String] {
            lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") } ? lines : [text]
        }
    }

    let text: String
    let examples: [Example]

    /// Reads `docs/<name>`.
    init(_ name: String) throws {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        text = try String(contentsOf: root.appending(path: "docs/\(name)"), encoding: .utf8)
        var examples: [Example] = []
        var current: Example?
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                let words = line.dropFirst(3).split(separator: " ").map(String.init)
                if let example = current { examples.append(example) }
                isInside.toggle()
                current = isInside && words.count == 2 ? Example(language: words[0], name: words[1], lines: []) : nil
            } else {
                current?.lines.append(line)
            }
        }
        #expect(!isInside, "\(name) has a block that does not end")
        self.examples = examples
    }

    /// The examples of one kind, at least one.
    func examples(_ name: String) throws -> [Example] {
        let found = examples.filter { $0.name == name }
        try #require(!found.isEmpty, "there is no example of \(name)")
        return found
    }

    /// The values of the only hex block of that name.
    func values(_ name: String) throws -> [Data] {
        let found = try examples(name)
        try #require(found.count == 1)
        return try found[0].values()
    }

    /// The first cell of each row of the table that follows a line beginning with `header`, with the other cells.
    func table(_ header: String) throws -> [[String]] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix(header) }, "there is no table \(header)")
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }
}
