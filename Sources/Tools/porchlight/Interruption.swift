import Dispatch
import Foundation

/// Waits for Ctrl-C or a polite kill.
///
/// While it lives, SIGINT and SIGTERM no longer end the process by themselves: whoever waits cleans up. A second one ends
/// it at once, for a person who is out of patience.
final class Interruption: @unchecked Sendable {
    // Unchecked because the sources are only made and cancelled, and Dispatch allows that from any thread.

    private let event: OneTimeEvent<Void>
    private let sources: [any DispatchSourceSignal]

    init() {
        let event = OneTimeEvent<Void>()
        self.event = event
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if event.hasHappened { _exit(128 + number) }
                event.happen(())
            }
            source.activate()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// Returns at the first signal, also when it came before, or when the task is cancelled.
    func wait() async { _ = await event.wait() }

    /// Does the work unless a signal comes first: then it is cancelled.
    /// - Throws: What the work throws, or a ``StepFailure`` that names `step`.
    func ends<Result: Sendable>(
        _ step: String, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                await self.wait()
                throw StepFailure(step: step, reason: "it was interrupted", advice: "Start again when you like.")
            }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}
