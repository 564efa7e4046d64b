public import Foundation

/// A document of `docs/`, as its fenced examples.
public struct ProtocolDocument: Sendable {
    /// What a test expected of the document and did not find.
    public struct Flaw: Error, CustomStringConvertible {
        /// What is missing or wrong.
        public var description: String
    }

    /// A fenced block whose opening line names a language and what the example is of: ` ```hex frames `.
    public struct Example: Sendable {
        /// Such as `hex`.
        public var language: String
        /// What it is of.
        public var name: String
        /// What stands between the fences.
        public var lines: [String]

        /// The whole block.
        public var text: String { lines.joined(separator: "\n") }

        /// The values of a hex block, one a line, without what follows `;`.
        public func values() throws -> [Data] { try lines.map { try ProtocolDocument.bytes($0) } }

        /// The objects of a JSON block: one for the block, or one a line.
        public var objects: [String] {
            lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") } ? lines : [text]
        }
    }

    /// All of it.
    public let text: String
    /// Every fenced block with a name.
    public let examples: [Example]

    /// Reads `docs/<name>`.
    public init(_ name: String) throws {
        let root = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
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
        guard !isInside else { throw Flaw(description: "\(name) has a block that does not end") }
        self.examples = examples
    }

    /// The examples of one kind, at least one.
    public func examples(_ name: String) throws -> [Example] {
        let found = examples.filter { $0.name == name }
        guard !found.isEmpty else { throw Flaw(description: "there is no example of \(name)") }
        return found
    }

    /// The values of the only hex block of that name.
    public func values(_ name: String) throws -> [Data] {
        let found = try examples(name)
        guard found.count == 1 else { throw Flaw(description: "there is more than one example of \(name)") }
        return try found[0].values()
    }

    /// The cells of each row of the table that follows a line beginning with `header`.
    public func table(_ header: String) throws -> [[String]] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix(header) }) else {
            throw Flaw(description: "there is no table \(header)")
        }
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Bytes in hexadecimal with spaces between them, up to a `;`.
    static func bytes(_ line: some StringProtocol) throws -> Data {
        let digits = line.prefix { $0 != ";" }
        return Data(
            try digits.split(separator: " ").map { text in
                guard let byte = UInt8(text, radix: 16) else { throw Flaw(description: "no byte: \(text) in \(line)") }
                return byte
            })
    }
}
