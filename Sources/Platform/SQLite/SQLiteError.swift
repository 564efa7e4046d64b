/// Why a database operation was not done. No value that was bound to a statement stands in any of it.
public enum SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file cannot be opened or made.
    case cannotOpen(path: String)
    /// The file or its directory does not allow writing.
    case readOnly(path: String)
    /// There is no room left; what was under way was rolled back.
    case diskFull(path: String)
    /// Another process held the lock for longer than the connection's limit.
    case locked(path: String)
    /// The file is damaged or not a database.
    case corrupt(path: String)
    /// The operating system reported an error.
    case inputOutput(path: String, code: SQLiteResultCode)
    /// A flush to the disk failed, so nobody knows what the disk holds. The connection does no more work: flushing again
    /// can report success for pages that the system has dropped.
    case unreliable(path: String)
    /// A constraint of the schema was violated; `message` names table and column.
    case constraint(code: SQLiteResultCode, message: String)
    /// The file was written by a newer version of the program.
    case newerSchema(path: String, found: Int, known: Int)
    /// A column is not there, or its value is not of the type asked for.
    case column(name: String, expected: String, found: String)
    /// Anything else, usually a mistake in the SQL.
    case statement(code: SQLiteResultCode, message: String, sql: String)

    /// What happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .cannotOpen(let path):
            "cannot open the database \(path): check that its directory exists and that you may write there"
        case .readOnly(let path):
            "cannot write the database \(path): make the file and its directory writable for this user"
        case .diskFull(let path):
            "no room left for the database \(path): free some space; nothing that was confirmed is lost"
        case .locked(let path):
            "the database \(path) is held by another process: end that process, or try again when it is done"
        case .corrupt(let path):
            "\(path) is damaged or not a database: restore it from a backup, or move it away to start afresh"
        case .inputOutput(let path, let code):
            "the disk under \(path) failed (\(code)): check the disk and the system's log"
        case .unreliable(let path):
            "the disk did not confirm a write to \(path): check the disk, then restart the program"
        case .constraint(_, let message): "the database refuses the change: \(message)"
        case .newerSchema(let path, let found, let known):
            """
            \(path) has schema version \(found) and this program knows up to \(known): run the newer program, or restore \
            the backup made before the upgrade
            """
        case .column(let name, let expected, let found):
            "column \(name) is \(found) where \(expected) is expected: the schema and the program do not agree"
        case .statement(let code, let message, let sql): "\(message) (\(code)) in: \(sql)"
        }
    }
}
