/// A result code of SQLite, primary or extended. Source: sqlite.org/rescode.html.
///
/// A struct and not an enum, because a newer library may give codes that nobody here has heard of.
public struct SQLiteResultCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number, with the extension in its upper bytes.
    public let rawValue: Int32
    /// Wraps a number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The code without its extension: what kind of failure it is.
    public var primary: SQLiteResultCode { SQLiteResultCode(rawValue: rawValue & 0xFF) }
    /// The number, for a line of a log.
    public var description: String { "SQLite result \(rawValue)" }

    /// The call succeeded.
    public static let ok = SQLiteResultCode(rawValue: 0)
    /// A general error, such as SQL that does not parse.
    public static let error = SQLiteResultCode(rawValue: 1)
    /// The file may not be opened as asked.
    public static let permission = SQLiteResultCode(rawValue: 3)
    /// The statement was ended by a rollback.
    public static let abort = SQLiteResultCode(rawValue: 4)
    /// Another connection holds the lock.
    public static let busy = SQLiteResultCode(rawValue: 5)
    /// A table is locked within this connection.
    public static let locked = SQLiteResultCode(rawValue: 6)
    /// Memory ran out.
    public static let noMemory = SQLiteResultCode(rawValue: 7)
    /// The database cannot be written.
    public static let readOnly = SQLiteResultCode(rawValue: 8)
    /// The operating system reported an error.
    public static let ioError = SQLiteResultCode(rawValue: 10)
    /// The file is damaged.
    public static let corrupt = SQLiteResultCode(rawValue: 11)
    /// The file system is full.
    public static let full = SQLiteResultCode(rawValue: 13)
    /// The file cannot be opened or made.
    public static let cannotOpen = SQLiteResultCode(rawValue: 14)
    /// A constraint was violated.
    public static let constraint = SQLiteResultCode(rawValue: 19)
    /// The interface was used wrongly.
    public static let misuse = SQLiteResultCode(rawValue: 21)
    /// The file is not a database.
    public static let notADatabase = SQLiteResultCode(rawValue: 26)
    /// A step gave a row.
    public static let row = SQLiteResultCode(rawValue: 100)
    /// A statement has finished.
    public static let done = SQLiteResultCode(rawValue: 101)

    /// A CHECK constraint was violated.
    public static let constraintCheck = SQLiteResultCode(rawValue: 19 | 1 << 8)
    /// A foreign key points nowhere.
    public static let constraintForeignKey = SQLiteResultCode(rawValue: 19 | 3 << 8)
    /// A NOT NULL constraint was violated.
    public static let constraintNotNull = SQLiteResultCode(rawValue: 19 | 5 << 8)
    /// A primary key is taken.
    public static let constraintPrimaryKey = SQLiteResultCode(rawValue: 19 | 6 << 8)
    /// A UNIQUE constraint was violated.
    public static let constraintUnique = SQLiteResultCode(rawValue: 19 | 8 << 8)
    /// A flush to the disk failed: what was written may or may not be there.
    public static let ioErrorFsync = SQLiteResultCode(rawValue: 10 | 4 << 8)
    /// A flush of the directory failed.
    public static let ioErrorDirectoryFsync = SQLiteResultCode(rawValue: 10 | 5 << 8)
}
