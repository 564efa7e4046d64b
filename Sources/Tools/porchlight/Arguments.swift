import Foundation

/// The words after the command, checked against the options it takes.
struct Arguments {
    /// An option: `--port 8080`, `--port=8080`, or a flag such as `--json`.
    struct Option {
        var name: String
        var takesValue: Bool

        static func value(_ name: String) -> Option { Option(name: name, takesValue: true) }
        static func flag(_ name: String) -> Option { Option(name: name, takesValue: false) }
    }

    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    init(_ words: [String], options: [Option]) throws(CommandError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else { throw .usage("'\(word)' is not an option. Options begin with '--'.") }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = options.first(where: { $0.name == name }) else {
                throw .usage("'--\(name)' is not an option of this command. See '--help'.")
            }
            guard values[name] == nil, !flags.contains(name) else { throw .usage("'--\(name)' is given twice.") }
            if option.takesValue {
                if parts.count == 2 {
                    values[name] = String(parts[1])
                    continue
                }
                guard let value = rest.popFirst() else { throw .usage("'--\(name)' needs a value.") }
                // More often a forgotten value than one that looks like an option.
                guard !value.hasPrefix("--") else {
                    throw .usage(
                        "'--\(name)' needs a value; one that begins with '--' is written '--\(name)=\(value)'.")
                }
                values[name] = value
            } else {
                guard parts.count == 1 else { throw .usage("'--\(name)' takes no value.") }
                flags.insert(name)
            }
        }
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    subscript(name: String) -> String? { values[name] }

    func required(_ name: String) throws(CommandError) -> String {
        guard let value = values[name] else { throw .usage("'--\(name)' is needed. See '--help'.") }
        return value
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(CommandError) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .usage("'--\(name)' is a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'.")
        }
        return number
    }

    func directory(_ name: String) -> URL? {
        values[name].map { URL(filePath: $0, directoryHint: .isDirectory) }
    }
}
