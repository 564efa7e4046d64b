import Basics
import Dispatch
import Foundation
import Glibc

/// The radio lab around this process: what only the scenario can do, done when a test asks for it.
///
/// Talks to Lab/guest/library/control.sh through the two pipes in the directory that `PORCHLIGHT_LAB` names. Safe from any
/// thread.
public final class LabControl: @unchecked Sendable {
    // Unchecked because of the buffer, which is touched on `queue` only.

    /// What the scenario answered instead of doing it.
    public struct Refusal: Error, CustomStringConvertible {
        var command: String
        var reason: String
        /// What was asked for, and the answer.
        public var description: String { "the lab did not do '\(command)': \(reason)" }
    }

    /// The lab that this process runs in; nil outside.
    public static let shared = ProcessInfo.processInfo.environment["PORCHLIGHT_LAB"].flatMap(LabControl.init)

    private let answers = Recorder<String>()
    private let commands: Int32
    private let queue = DispatchQueue(label: "test.lab")
    private let source: any DispatchSourceRead
    private let count = Locked(0)
    private var unread = Data()

    private init?(directory: String) {
        let commands = open(directory + "/commands", O_WRONLY | O_CLOEXEC)
        let answers = open(directory + "/answers", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard commands >= 0, answers >= 0 else { return nil }
        self.commands = commands
        source = DispatchSource.makeReadSource(fileDescriptor: answers, queue: queue)
        source.setEventHandler { [weak self] in self?.read(answers) }
        source.activate()
    }

    private func read(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let length = Glibc.read(descriptor, &buffer, buffer.count)
        guard length > 0 else { return }
        unread += buffer[..<length]
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            answers.record(String(decoding: unread[..<end], as: UTF8.self))
            unread = Data(unread[(end + 1)...])
        }
    }

    /// Lets the scenario carry out one of its commands, with its arguments, and waits until it is done.
    /// - Returns: The last line that the command printed.
    @discardableResult
    public func ask(_ command: String, limit: Duration = .seconds(60)) async throws -> String {
        let number = count.withLock { count in
            count += 1
            // Of processes that share the scenario, each has its own answers.
            return "\(getpid()).\(count)"
        }
        let line = Array("\(number) \(command)\n".utf8)
        guard write(commands, line, line.count) == line.count else {
            throw Refusal(command: command, reason: String(cString: strerror(errno)))
        }
        let answer = try await answers.next("the lab's '\(command)'", limit: limit) { line in
            line.hasPrefix(number + " ") ? line.dropFirst(number.utf8.count + 1) : nil
        }
        guard answer.hasPrefix("ok") else { throw Refusal(command: command, reason: String(answer.dropFirst(7))) }
        return String(answer.dropFirst(3))
    }
}
