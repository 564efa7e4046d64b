import Basics
import Dispatch
import Foundation

/// Asks a question in the terminal of standard input, and hides what is typed until it ends.
///
/// The keys of the terminal keep their meaning, so that Ctrl-C is a signal (`getpass` takes it for a character).
/// State is behind one lock.
final class HiddenTyping: @unchecked Sendable {
    // Unchecked because the source is only made and cancelled, and Dispatch allows that from any thread.

    /// The terminal as it was; nil when nothing has been changed.
    private let before: Locked<termios?>
    private let output: FileHandle
    private let resumption: any DispatchSourceSignal

    init(_ question: String) {
        let before = Locked<termios?>(nil)
        self.before = before
        // Both outputs may be files.
        output = FileHandle(forWritingAtPath: "/dev/tty") ?? .standardError
        // A shell that gets the terminal after Ctrl-Z gives it back with echo.
        resumption = DispatchSource.makeSignalSource(signal: SIGCONT, queue: .global())
        resumption.setEventHandler { Self.hide(before) }
        resumption.activate()
        Self.hide(before)
        try? output.write(contentsOf: Data(question.utf8))
    }

    /// The terminal is again as it was, without what has been typed and not been read.
    func end() {
        resumption.cancel()
        before.withLock { before in
            guard var settings = before.take(), Self.isInFront else { return }
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        }
        // The end of the line was hidden too.
        try? output.write(contentsOf: Data("\n".utf8))
    }

    private static func hide(_ before: Locked<termios?>) {
        before.withLock { before in
            var settings = termios()
            guard isInFront, tcgetattr(STDIN_FILENO, &settings) == 0, settings.c_lflag & tcflag_t(ECHO) != 0 else {
                return
            }
            before = settings
            settings.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        }
    }

    /// Whoever changes the terminal from the background is stopped by it.
    private static var isInFront: Bool {
        let front = tcgetpgrp(STDIN_FILENO)
        return front < 0 || front == getpgrp()
    }
}
