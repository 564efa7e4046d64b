import Basics
import Foundation
import Glibc

/// A process that this one started and that does not outlive it.
///
/// The child reads a pipe that only this process holds open: when this process is gone, however it ended, the child sees
/// the end of its input and leaves. Safe from any thread.
///
/// Spawned without Foundation's `Process`, whose bookkeeping of descriptors has crashed when several are used at once.
final class ChildProcess: Sendable {
    /// The process's id.
    let identifier: Int32
    private static let spawning = Locked(())
    private let lifeline: FileHandle
    private let ending = OneTimeEvent<Int32>()
    private let complaint = Locked<String?>(nil)

    /// What it prints, line by line, until it ends. One reader.
    let lines: AsyncStream<String>

    /// The last line that it wrote to standard error; each is passed on to this process's own.
    var lastComplaint: String? { complaint.withLock { $0 } }

    /// Starts `executable`, in a process group of its own, so that Ctrl-C in a terminal reaches only this process.
    /// - Throws: A `CocoaError` or `POSIXError` when the file cannot be executed.
    init(executable: URL, arguments: [String], environment: [String: String]) throws {
        let path = executable.path(percentEncoded: false)
        // One at a time: until it is marked, a pipe's end would be inherited by a child that another thread starts, and
        // held open by it.
        let (input, output, errors, identifier) = try Self.spawning.withLock { _ in
            let pipes = [Pipe(), Pipe(), Pipe()]
            for end in pipes.flatMap({ [$0.fileHandleForReading, $0.fileHandleForWriting] }) {
                _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
            let identifier = try Self.spawn(
                path, [path] + arguments, environment.map { "\($0)=\($1)" },
                streams: [
                    pipes[0].fileHandleForReading.fileDescriptor, pipes[1].fileHandleForWriting.fileDescriptor,
                    pipes[2].fileHandleForWriting.fileDescriptor,
                ])
            return (pipes[0], pipes[1], pipes[2], identifier)
        }
        self.identifier = identifier
        // The child has its own copies: with these gone, each pipe ends with it.
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        try errors.fileHandleForWriting.close()
        lifeline = input.fileHandleForWriting
        lines = LineReader.lines(of: output.fileHandleForReading)
        let complaints = LineReader.lines(of: errors.fileHandleForReading)
        let reading = Task { [complaint] in
            for await line in complaints {
                complaint.withLock { $0 = line }
                Terminal.passOn(line)
            }
        }
        Thread.detachNewThread { [identifier, ending] in
            let status = Self.wait(for: identifier)
            Task {
                // Its last words first: they are the reason for the status.
                await reading.value
                ending.happen(status)
            }
        }
    }

    /// Waits until it has ended.
    /// - Returns: Its exit status, 128 and the signal's number when a signal ended it; nil when the waiting task was
    ///   cancelled first.
    @discardableResult
    func exit() async -> Int32? { await ending.wait() }

    /// Asks it to leave, and insists after five seconds. Returns when it has ended.
    func end() async {
        try? lifeline.close()
        let insist = Task { [identifier, ending] in
            try await Task.sleep(for: .seconds(5))
            if !ending.hasHappened { kill(identifier, SIGKILL) }
        }
        await exit()
        insist.cancel()
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String], streams: [Int32]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Dispatch blocks signals on its threads and `Interruption` ignores some; neither is for the child to inherit.
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        var argumentPointers = arguments.map { strdup($0) } + [nil]
        var environmentPointers = environment.map { strdup($0) } + [nil]
        defer { for pointer in argumentPointers + environmentPointers { free(pointer) } }
        var identifier = pid_t()
        let status = posix_spawn(&identifier, path, &actions, &attributes, &argumentPointers, &environmentPointers)
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EINVAL) }
        return identifier
    }

    private static func wait(for identifier: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
