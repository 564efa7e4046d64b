/// One word of the command line.
protocol Command: SendableMetatype {
    /// The word.
    static var name: String { get }
    /// One line for the list of commands.
    static var summary: String { get }
    /// What `--help` prints.
    static var help: String { get }
    /// The options it takes.
    static var options: [Arguments.Option] { get }
    /// Does it; returning means exit code 0.
    static func run(_ arguments: Arguments) async throws
}

/// Why a command ends with something other than 0.
enum CommandError: Error, CustomStringConvertible {
    /// The words are wrong: exit code 64.
    case usage(String)
    /// It was understood and could not be done: exit code 1, or one that says more.
    case failed(String, code: EndCode = .failed)

    static let failureCode: Int32 = 1

    var exitCode: Int32 {
        switch self {
        case .usage: EndCode.usage.rawValue
        case .failed(_, let code): code.rawValue
        }
    }

    var description: String {
        switch self {
        case .usage(let text), .failed(let text, _): text
        }
    }
}
