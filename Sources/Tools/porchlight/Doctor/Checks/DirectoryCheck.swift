import Foundation
import Glibc

/// Directories in which something is kept: whether they can be written, and by nobody else.
struct DirectoryCheck: Check {
    /// A directory and what it is for.
    struct Place: Sendable {
        /// What others may do there.
        enum Privacy: Sendable {
            /// What they like.
            case any
            /// Look, and not write.
            case own
            /// Nothing.
            case secret
        }

        /// Ends the finding's name.
        var name: String
        /// What is kept, as the subject of a sentence.
        var what: String
        var path: String
        var privacy: Privacy
        var roles: Set<Role>
        /// How another one is chosen.
        var choice: String
    }

    var places: [Place]
    var user = getuid()

    let title = "Directories"
    let area = "directory"
    let roles = Set(Role.allCases)

    func findings(for roles: Set<Role>) async -> [Finding] {
        let due = places.filter { !$0.roles.isDisjoint(with: roles) }
        return await Self.apart { due.map(finding(of:)) }
    }

    private func finding(of place: Place) -> Finding {
        let check = "directory.\(place.name)"
        func problem(_ says: String, _ remedy: String) -> Finding {
            .problem(check, "\(place.what): \(says)", "\(remedy), or choose another with \(place.choice).")
        }
        var status = stat()
        guard stat(place.path, &status) == 0 else {
            guard errno == ENOENT else { return problem("\(place.path): \(reason())", "Make it accessible") }
            let above = Self.nearest(above: place.path)
            guard access(above, W_OK | X_OK) == 0 else {
                return problem("\(place.path) cannot be made: \(above): \(reason())", "Make it")
            }
            return .ok(check, "\(place.what): \(place.path) will be made")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return problem("\(place.path) is no directory", "Remove it") }
        guard place.privacy == .any || status.st_uid == user else {
            return problem("\(place.path) belongs to another user", "chown it")
        }
        guard access(place.path, R_OK | W_OK | X_OK) == 0 else {
            return problem("\(place.path): \(reason())", "chown or chmod it")
        }
        switch place.privacy {
        case .own where status.st_mode & 0o022 != 0:
            return problem("others may write to \(place.path)", "chmod go-w \(place.path)")
        case .secret where status.st_mode & 0o077 != 0:
            return problem("others may enter \(place.path)", "chmod 700 \(place.path)")
        default: return .ok(check, "\(place.what): \(place.path)")
        }
    }

    private func reason() -> String { String(cString: strerror(errno)) }

    /// The nearest directory above that is there.
    private static func nearest(above path: String) -> String {
        var url = URL(filePath: path).deletingLastPathComponent()
        while url.path != "/", access(url.path, F_OK) != 0 { url.deleteLastPathComponent() }
        return url.path
    }
}
