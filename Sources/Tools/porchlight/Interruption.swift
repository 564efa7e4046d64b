import Dispatch
import Foundation

/// Waits for Ctrl-C, a polite kill, or the end of the terminal.
///
/// While it lives, SIGINT, SIGTERM and SIGHUP no longer end the process by themselves: whoever waits cleans up. A second one ends
/// it at once, for a person who is out of patience.
final class Interruption: @unchecked Sendable {
    // Unchecked because the sources are only made and cancelled, and Dispatch allows that from any thread.

    private let event: OneTimeEvent<Void>
    private let sources: [any DispatchSourceSignal]

    /// Returns when it watches: until then a signal ends the process as ever, and none is lost in between.
    init() async {
        let event = OneTimeEvent<Void>()
        self.event = event
        // Whoever starts a program with `nohup` wants it to outlive the terminal.
        let numbers = Self.isIgnored(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
        let watched = numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            let isRegistered = OneTimeEvent<Void>()
            source.setRegistrationHandler { isRegistered.happen(()) }
            source.setEventHandler {
                if event.hasHappened { _exit(128 + number) }
                event.happen(())
            }
            source.activate()
            return (source, isRegistered)
        }
        sources = watched.map(\.0)
        for (_, isRegistered) in watched { await isRegistered.wait() }
    }

    deinit { for source in sources { source.cancel() } }

    /// Returns at the first signal, also when it came before, or when the task is cancelled.
    func wait() async { _ = await event.wait() }

    /// Does the work unless a signal comes first: then it is cancelled.
    /// - Parameter advice: What to do after a signal; asked when it has come.
    /// - Throws: What the work throws, or a ``StepFailure`` that names `step`.
    func ends<Result: Sendable>(
        _ step: String, advice: @escaping @Sendable () async -> String = { "Start again when you like." },
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                await self.wait()
                throw StepFailure(
                    step: step, reason: "it was interrupted", advice: await advice(), code: .interrupted)
            }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
