import Basics
import CCurl
import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// libcurl as the process has it: its beginning, and the end of every thread that is in it.
///
/// OpenSSL frees its tables when the process exits. A thread that is in a transfer then would crash, so exit waits for the
/// threads of all clients first. State is behind one lock.
enum Library {
    private struct State {
        var running: [ObjectIdentifier: Mailbox] = [:]
        var isExiting = false
    }

    private static let state = Locked(State())
    private static let threads = DispatchGroup()

    private static let isReady: Bool = {
        let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
        // What is registered last runs first: before the handlers of the libraries that have just been initialised.
        atexit { Library.endThreads() }
        return isReady
    }()

    /// Initialises libcurl, once.
    static func prepare() { precondition(isReady, "libcurl cannot be initialised") }

    /// Counts a thread that is about to start.
    /// - Returns: False when the process is about to end, where none may.
    static func enter(_ mailbox: Mailbox) -> Bool {
        state.withLock { state in
            guard !state.isExiting else { return false }
            state.running[ObjectIdentifier(mailbox)] = mailbox
            threads.enter()
            return true
        }
    }

    /// Tells that a thread is done with libcurl.
    static func leave(_ mailbox: Mailbox) {
        state.withLock { $0.running[ObjectIdentifier(mailbox)] = nil }
        threads.leave()
    }

    private static func endThreads() {
        let running = state.withLock { state in
            state.isExiting = true
            return Array(state.running.values)
        }
        for mailbox in running { mailbox.close() }
        // They end in milliseconds; one that hangs must not keep the process.
        _ = threads.wait(timeout: .now() + .seconds(2))
    }
}
