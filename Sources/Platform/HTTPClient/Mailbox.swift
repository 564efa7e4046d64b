import Basics
import Foundation

/// What a client hands to the thread of its transfers, and the thread's beginning and end. State is behind one lock.
///
/// libcurl's handle belongs to the thread, except that anybody may wake it. That is done under the lock, which keeps the
/// thread from freeing it meanwhile; it writes a byte and never blocks.
final class Mailbox: Sendable {
    enum Command {
        case start(Exchange)
        case cancel(Exchange)
    }

    private struct State {
        var commands: [Command] = []
        var isClosed = false
        /// While there is a thread.
        var multi: MultiHandle?
    }

    private let configuration: HTTPClient.Configuration
    private let state = Locked(State())

    init(_ configuration: HTTPClient.Configuration) { self.configuration = configuration }

    /// Hands over a command, and starts the thread for the first transfer.
    /// - Returns: Why it was not taken.
    func submit(_ command: Command) -> HTTPClientError? {
        let (refusal, made) = state.withLock { state -> (HTTPClientError?, MultiHandle?) in
            guard !state.isClosed else { return (.closed, nil) }
            if let multi = state.multi {
                state.commands.append(command)
                // The thread takes all there is at once: one wake-up is enough for what comes until then.
                if state.commands.count == 1 { multi.wake() }
                return (nil, nil)
            }
            // Nothing has been started that could be cancelled.
            guard case .start(let exchange) = command else { return (nil, nil) }
            guard let multi = MultiHandle(maximumConnectionsPerHost: configuration.maximumConnectionsPerHost) else {
                let reason = "libcurl cannot be set up: no memory or no file descriptors are left"
                return (.failed(host: exchange.request.host, reason: reason), nil)
            }
            state.multi = multi
            state.commands.append(command)
            return (nil, multi)
        }
        if let made { startThread(made) }
        return refusal
    }

    /// All that was handed over since the last time; nil once closed.
    func take() -> [Command]? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Lets the thread end. Nothing is accepted any more.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.multi?.wake()
        }
    }

    private func startThread(_ multi: MultiHandle) {
        guard Library.enter(self) else {
            close()
            return end(multi)
        }
        let thread = Thread { [self, configuration] in
            // From within: Foundation on Linux gives the system no name that was set before.
            Thread.current.name = "http"
            TransferLoop(multi, self, configuration).run()
            end(multi)
            Library.leave(self)
        }
        thread.start()
    }

    /// Frees libcurl's handle, which nobody wakes any more, and ends what has never been started. Called once closed.
    private func end(_ multi: MultiHandle) {
        let left = state.withLock { state in
            state.multi = nil
            defer { state.commands = [] }
            return state.commands
        }
        multi.free()
        for case .start(let exchange) in left { exchange.finish(.failure(.closed)) }
    }
}
