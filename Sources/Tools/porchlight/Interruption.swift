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
}
