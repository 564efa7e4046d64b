import CSQLite
import Foundation

/// A connection to one database file.
///
/// Deliberately not `Sendable`: it belongs to one actor or one task, and the compiler holds its owner to that. SQLite is
/// told so (`NOMUTEX`) and does no locking of its own within the process. Every call blocks until the disk has answered;
/// an actor that owns a connection runs on its own queue and not on the shared pool.
///
/// SQL is a `StaticString`: a value cannot be interpolated into it, only bound. Statements are prepared once and kept.
///
/// Opened with write-ahead log, `synchronous=FULL` (what has been committed survives a loss of power), foreign keys on
/// and a bounded wait for the lock.
public final class Connection {
    /// How a database is opened.
    public struct Configuration: Sendable {
        /// How long a call waits for a lock that another process holds, before ``SQLiteError/locked(path:)``.
        public var busyTimeout: Duration
        /// Reads only; the file has to exist.
        public var readOnly: Bool

        /// 5 s, for reading and writing.
        public init(busyTimeout: Duration = .seconds(5), readOnly: Bool = false) {
            self.busyTimeout = busyTimeout
            self.readOnly = readOnly
        }
    }

    /// The file, or `:memory:`.
    public let path: String
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    private var isUnreliable = false

    /// Opens the file at `path` and makes it when it is not there; `:memory:` gives a database without a file.
    /// - Throws: ``SQLiteError`` when the file cannot be opened, read or (unless it is opened for reading) written.
    public init(path: String, configuration: Configuration = .init()) throws(SQLiteError) {
        var handle: OpaquePointer?
        let access = configuration.readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let result = sqlite3_open_v2(
            path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard result == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw Self.error(result, message: "", sql: "open", path: path)
        }
        self.path = path
        self.handle = handle
        sqlite3_busy_timeout(handle, Int32(clamping: Int(configuration.busyTimeout / .milliseconds(1))))
        try query("PRAGMA foreign_keys = ON")
        guard !configuration.readOnly else { return }
        // The first statement that writes: a directory or file without write permission is found out here, at start.
        try useWriteAheadLog(within: configuration.busyTimeout)
        try query("PRAGMA synchronous = FULL")
        try query("BEGIN IMMEDIATE")
        try query("COMMIT")
    }

    /// Turns the write-ahead log on.
    ///
    /// While another process does the same to a new file, SQLite answers 'locked' at once and does not wait, lest the two
    /// wait for each other. So this does.
    private func useWriteAheadLog(within limit: Duration) throws(SQLiteError) {
        let end = ContinuousClock.now + limit
        while true {
            do throws(SQLiteError) {
                try query("PRAGMA journal_mode = WAL")
                return
            } catch {
                guard case .locked = error, ContinuousClock.now < end else { throw error }
                sqlite3_sleep(10)
            }
        }
    }

    deinit {
        statements = [:]
        let result = sqlite3_close(handle)
        assert(result == SQLITE_OK, "a statement outlived its connection")
    }

    /// Runs one statement and gives the number of rows that it inserted, changed or deleted.
    @discardableResult
    public func execute(_ sql: StaticString, _ arguments: any SQLiteConvertible...) throws(SQLiteError) -> Int {
        _ = try statement(String(describing: sql)).run(arguments)
        return Int(sqlite3_changes64(handle))
    }

    /// Runs a query and gives all rows.
    public func rows(_ sql: StaticString, _ arguments: any SQLiteConvertible...) throws(SQLiteError) -> [Row] {
        try statement(String(describing: sql)).run(arguments)
    }

    /// Runs a query and gives its first row, if any.
    public func row(_ sql: StaticString, _ arguments: any SQLiteConvertible...) throws(SQLiteError) -> Row? {
        try statement(String(describing: sql)).run(arguments, limit: 1).first
    }

    /// Runs `body` in a transaction that takes the write lock at its start, so that what it has read is still true when
    /// it writes. Commits when `body` returns, rolls everything back when it throws. Transactions do not nest.
    ///
    /// - Throws: What `body` throws, or ``SQLiteError`` when the transaction cannot begin or commit.
    @discardableResult
    public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try query("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try query("COMMIT")
            return result
        } catch {
            try rollBack(after: error)
            throw error
        }
    }

    /// Brings the schema to the end of `migrations`; those that the file has seen are skipped, by `PRAGMA user_version`.
    /// Each runs in its own transaction, together with the new version number.
    /// - Throws: ``SQLiteError/newerSchema(path:found:known:)`` when the file has seen more than there are.
    public func migrate(_ migrations: [Migration]) throws {
        let found = try version()
        guard found <= migrations.count else {
            throw SQLiteError.newerSchema(path: path, found: found, known: migrations.count)
        }
        for (number, migration) in migrations.enumerated().dropFirst(found) {
            try transaction {
                // Another process may have been quicker between the first look and the lock.
                guard try version() == number else { return }
                try script(String(describing: migration.script))
                try query("PRAGMA user_version = \(number + 1)")
            }
        }
        statements = [:]
    }

    private func version() throws(SQLiteError) -> Int {
        guard let row = try query("PRAGMA user_version").first else { return 0 }
        return try row["user_version"]
    }

    private func rollBack(after error: any Error) throws(SQLiteError) {
        // SQLite has rolled back by itself after some errors (disk full, input/output); then there is nothing to end.
        guard sqlite3_get_autocommit(handle) == 0 else { return }
        try query("ROLLBACK")
    }

    /// The one way for SQL that is put together at run time: this module's own, without values from outside.
    @discardableResult
    private func query(_ sql: String) throws(SQLiteError) -> [Row] { try statement(sql).run([]) }

    private func statement(_ sql: String) throws(SQLiteError) -> Statement {
        guard !isUnreliable else { throw .unreliable(path: path) }
        if let statement = statements[sql] { return statement }
        let statement = try Statement(sql, on: handle) { [unowned self] code, sql in failure(code, sql: sql) }
        statements[sql] = statement
        return statement
    }

    private func script(_ text: String) throws(SQLiteError) {
        guard !isUnreliable else { throw .unreliable(path: path) }
        let result = sqlite3_exec(handle, text, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result, sql: text) }
    }

    private func failure(_ code: Int32, sql: String) -> SQLiteError {
        let error = Self.error(code, message: String(cString: sqlite3_errmsg(handle)), sql: sql, path: path)
        if case .unreliable = error { isUnreliable = true }
        return error
    }

    private static func error(_ rawCode: Int32, message: String, sql: String, path: String) -> SQLiteError {
        let code = SQLiteResultCode(rawValue: rawCode)
        switch code {
        case .ioErrorFsync, .ioErrorDirectoryFsync: return .unreliable(path: path)
        default: break
        }
        switch code.primary {
        case .cannotOpen: return .cannotOpen(path: path)
        case .readOnly, .permission: return .readOnly(path: path)
        case .full: return .diskFull(path: path)
        case .busy, .locked: return .locked(path: path)
        case .corrupt, .notADatabase: return .corrupt(path: path)
        case .ioError: return .inputOutput(path: path, code: code)
        case .constraint: return .constraint(code: code, message: message)
        default: return .statement(code: code, message: message, sql: sql)
        }
    }
}
