import Basics
import Foundation

/// A process that this one started and that does not outlive it.
///
/// The child reads a pipe that only this process holds open: when this process is gone, however it ended, the child sees
/// the end of its input and leaves. Safe from any thread.
final class ChildProcess: Sendable {
    private let process: Process
    private let lifeline: Pipe
    private let ending = OneTimeEvent<Int32>()
    private let complaint = Locked<String?>(nil)

    /// What it prints, line by line, until it ends. One reader.
    let lines: AsyncStream<String>

    /// The last line that it wrote to standard error; each is passed on to this process's own.
    var lastComplaint: String? { complaint.withLock { $0 } }

    /// The process's id.
    var identifier: Int32 { process.processIdentifier }

    /// Starts `executable`.
    /// - Throws: What `Process.run` throws when the file cannot be executed.
    init(executable: URL, arguments: [String], environment: [String: String]) throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = environment
        lifeline = Pipe()
        let output = Pipe()
        process.standardInput = lifeline
        process.standardOutput = output
        self.process = process
        lines = LineReader.lines(of: output.fileHandleForReading)

        let errors = Pipe()
        process.standardError = errors
        let complaints = LineReader.lines(of: errors.fileHandleForReading)
        let reading = Task { [complaint] in
            for await line in complaints {
                complaint.withLock { $0 = line }
                Terminal.passOn(line)
            }
        }
        process.terminationHandler = { [ending] ended in
            let status = ended.terminationStatus
            Task {
                // Its last words first: they are the reason for the status.
                await reading.value
                ending.happen(status)
            }
        }
        try process.run()
    }

    /// Waits until it has ended.
    /// - Returns: Its exit status; nil when the waiting task was cancelled first.
    @discardableResult
    func exit() async -> Int32? { await ending.wait() }

    /// Asks it to leave, and insists after five seconds. Returns when it has ended.
    func end() async {
        try? lifeline.fileHandleForWriting.close()
        let insist = Task { [process] in
            try await Task.sleep(for: .seconds(5))
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
        await exit()
        insist.cancel()
    }
}
