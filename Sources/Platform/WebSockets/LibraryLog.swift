import Basics
import CWebSockets

/// The lines that libwebsockets writes, in the house's log.
enum LibraryLog {
    static let log = Log("websockets")

    /// Takes over libwebsockets' log, once for the process. Its levels are moved down by one: it calls everyday events,
    /// such as a refused connection, errors, and what matters to a caller is reported as an error of this module.
    static let install: Void = lws_set_log_level(Int32(LLL_ERR | LLL_WARN | LLL_NOTICE)) { level, line in
        guard let line else { return }
        let text = String(cString: line).trimmingLineEnd()
        if level == Int32(LLL_ERR) {
            LibraryLog.log.warning(text)
        } else if level == Int32(LLL_WARN) {
            LibraryLog.log.info(text)
        } else {
            LibraryLog.log.debug(text)
        }
    }
}

extension String {
    fileprivate func trimmingLineEnd() -> String {
        var text = self
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }
}
