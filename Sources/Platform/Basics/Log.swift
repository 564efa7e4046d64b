import Foundation

/// A line-based log with a category, written to standard error.
///
/// Levels below ``threshold`` cost one comparison: the message is an autoclosure. Set `PORCHLIGHT_LOG` to `debug`,
/// `info`, `warning`, `error` or `off` to choose (default `warning`). Values that must stay secret are held in types
/// whose description is redacted, so they cannot reach a line by interpolation. Safe from any thread.
public struct Log: Sendable {
    /// How much a line matters.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        /// Detail for someone chasing a fault.
        case debug
        /// A milestone in normal operation.
        case info
        /// Something is off, and the program copes.
        case warning
        /// Something failed for the user.
        case error
        /// Above every line: nothing is written.
        case off

        /// Orders by severity.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        /// Reads `debug`, `info`, `warning`, `error` or `off`, in any case.
        public init?(_ name: String) {
            guard let level = Level.allCases.first(where: { "\($0)" == name.lowercased() }) else { return nil }
            self = level
        }
    }

    /// Receives each line that passes the threshold. Called from any thread.
    public typealias Sink = @Sendable (_ level: Level, _ category: String, _ message: String) -> Void

    private struct Configuration {
        var threshold: Level
        var sink: Sink
    }

    private static let configuration = Locked(
        Configuration(
            threshold: ProcessInfo.processInfo.environment["PORCHLIGHT_LOG"].flatMap(Level.init) ?? .warning,
            sink: writeToStandardError))

    /// The least level that is written, for the whole process.
    public static var threshold: Level {
        get { configuration.withLock { $0.threshold } }
        set { configuration.withLock { $0.threshold = newValue } }
    }

    /// Sends every later line of this process to `sink` instead of standard error.
    public static func redirect(to sink: @escaping Sink) {
        configuration.withLock { $0.sink = sink }
    }

    private let category: String

    /// A log whose lines carry `category`, such as `cloud` or `radio`.
    public init(_ category: String) { self.category = category }

    /// Detail for someone chasing a fault.
    public func debug(_ message: @autoclosure () -> String) { write(.debug, message) }
    /// A milestone in normal operation.
    public func info(_ message: @autoclosure () -> String) { write(.info, message) }
    /// Something is off, and the program copes.
    public func warning(_ message: @autoclosure () -> String) { write(.warning, message) }
    /// Something failed for the user.
    public func error(_ message: @autoclosure () -> String) { write(.error, message) }

    private func write(_ level: Level, _ message: () -> String) {
        let sink = Self.configuration.withLock { level >= $0.threshold ? $0.sink : nil }
        sink?(level, category, message())
    }

    private static let writeToStandardError: Sink = { level, category, message in
        let now = Date.now.formatted(.iso8601.time(includingFractionalSeconds: true))
        append("\(now) \(level) [\(category)] \(message)\n", to: .standardError)
    }

    /// Writes one line, or drops it: on a full disk or a closed pipe there is nowhere left to say so, and a log must not
    /// end the program that it reports on.
    static func append(_ line: String, to file: FileHandle) { try? file.write(contentsOf: Data(line.utf8)) }
}
