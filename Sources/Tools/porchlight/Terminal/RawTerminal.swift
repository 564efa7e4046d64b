import Basics
import Dispatch
import Foundation

/// The terminal of standard input while a question stands: each key is given at once, and none is shown by the terminal.
///
/// Ctrl-C and Ctrl-Z keep their meaning. What was typed before the question does not answer it, and what is left unread when
/// it ends is dropped. State is behind one lock.
final class RawTerminal: @unchecked Sendable {
    // Unchecked because the source is only made and cancelled, and Dispatch allows that from any thread.

    /// The terminal as it was; nil when nothing has been changed.
    private let before = Locked<termios?>(nil)
    private let descriptor: Int32
    private let resumption: any DispatchSourceSignal

    /// - Parameter onResume: Called when the terminal is this program's again after Ctrl-Z: what was shown may be gone.
    init(descriptor: Int32 = STDIN_FILENO, onResume: @escaping @Sendable () -> Void = {}) {
        self.descriptor = descriptor
        let before = before
        // A shell that gets the terminal after Ctrl-Z gives it back as it likes it.
        resumption = DispatchSource.makeSignalSource(signal: SIGCONT, queue: .global())
        resumption.setEventHandler {
            Self.take(before, descriptor)
            onResume()
        }
        resumption.activate()
        Self.take(before, descriptor)
    }

    /// The terminal is again as it was.
    func end() {
        resumption.cancel()
        before.withLock { before in
            guard var settings = before.take(), Self.isInFront(descriptor) else { return }
            tcsetattr(descriptor, TCSAFLUSH, &settings)
        }
    }

    private static func take(_ before: Locked<termios?>, _ descriptor: Int32) {
        before.withLock { before in
            var settings = termios()
            let keys = tcflag_t(ICANON | ECHO)
            guard isInFront(descriptor), tcgetattr(descriptor, &settings) == 0, settings.c_lflag & keys != 0 else {
                return
            }
            before = settings
            settings.c_lflag &= ~keys
            withUnsafeMutableBytes(of: &settings.c_cc) { characters in
                characters[Int(VMIN)] = 1
                characters[Int(VTIME)] = 0
            }
            tcsetattr(descriptor, TCSAFLUSH, &settings)
        }
    }

    /// Whoever changes the terminal from the background is stopped by it.
    private static func isInFront(_ descriptor: Int32) -> Bool {
        let front = tcgetpgrp(descriptor)
        return front < 0 || front == getpgrp()
    }
}
