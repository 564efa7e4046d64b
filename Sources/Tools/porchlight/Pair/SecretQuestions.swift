import Foundation
import Wire

/// The password of a network, typed unseen.
struct PasswordQuestion: Question {
    let prompt: String
    let echo = Echo.hidden
    /// Whether the network may have none.
    private let mayBeOpen: Bool

    /// - Parameter mayBeOpen: For a hidden network, of which it is not known.
    init(for ssid: String, mayBeOpen: Bool) {
        let name = TextColumns.cut(Terminal.visible(ssid), 40)
        prompt = "Password of '\(name)'\(mayBeOpen ? " (Enter if it has none)" : ""): "
        self.mayBeOpen = mayBeOpen
    }

    func update(_ items: [Never]) {}
    func lines(columns: Int, rows: Int) -> [String] { [] }
    func news(columns: Int) -> [String] { [] }

    func reading(of text: String) -> Reading<Secret> {
        guard !text.isEmpty else {
            return mayBeOpen ? .taken(Secret("")) : .refused("This network has a password.")
        }
        do throws(CommandError) {
            try JoinWish.check(password: Secret(text))
            return .taken(Secret(text))
        } catch {
            return .refused(error.description)
        }
    }
}

/// The setup code that is printed on the camera.
struct SetupCodeQuestion: Question {
    let prompt = "Setup code on the camera (Enter if you have none): "
    let echo = Echo.dots
    /// Whether the camera takes nobody without it.
    var isNeeded = false

    func update(_ items: [Never]) {}
    func lines(columns: Int, rows: Int) -> [String] { [] }
    func news(columns: Int) -> [String] { [] }

    func reading(of text: String) -> Reading<SetupCode?> {
        if text.allSatisfy(\.isWhitespace) {
            return isNeeded ? .refused("This camera takes nobody without its setup code.") : .taken(nil)
        }
        do throws(WireError) {
            return .taken(try SetupCode(text))
        } catch {
            return .refused("A setup code has \(SetupCode.digitCount) digits.")
        }
    }

    var answerAtEnd: SetupCode?? { isNeeded ? nil : .some(nil) }
}
