/// One thing that was looked at, and what is to be done about it.
struct Finding: Sendable, Equatable, Encodable {
    /// How much it matters.
    enum Level: String, Sendable, Encodable {
        /// It works.
        case ok
        /// It works with a limit, or is not needed, or could not be found out.
        case note
        /// It is needed and does not work.
        case problem
    }

    /// Names it for scripts: the check's area and a word, such as `bluetooth.adapter`.
    var check: String
    var level: Level
    /// What is so, in a line.
    var says: String
    /// What to do; nil where nothing is to be done.
    var remedy: String?

    static func ok(_ check: String, _ says: String) -> Finding { Finding(check: check, level: .ok, says: says) }

    static func note(_ check: String, _ says: String, _ remedy: String? = nil) -> Finding {
        Finding(check: check, level: .note, says: says, remedy: remedy)
    }

    static func problem(_ check: String, _ says: String, _ remedy: String) -> Finding {
        Finding(check: check, level: .problem, says: says, remedy: remedy)
    }
}

/// What a machine can be in a house with cameras.
enum Role: String, Sendable, CaseIterable, Comparable {
    /// It pairs cameras and shows them.
    case app
    /// It is a camera.
    case camera
    /// It keeps cameras and viewers together.
    case cloud

    static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
}
