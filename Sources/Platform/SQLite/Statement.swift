import CSQLite
import Foundation

/// A prepared statement of one connection, finalized when the last reference goes.
///
/// Confined like its connection, which is the only maker and user.
final class Statement {
    let sql: String
    private let handle: OpaquePointer
    private let fail: (_ code: Int32, _ sql: String) -> SQLiteError
    /// Fixed for the life of a statement, except when the schema changes under it, which ``Connection`` prevents by
    /// emptying its cache after a migration.
    private(set) lazy var columns = (0..<sqlite3_column_count(handle)).map {
        String(cString: sqlite3_column_name(handle, $0))
    }

    init(
        _ sql: String, on connection: OpaquePointer, fail: @escaping (_ code: Int32, _ sql: String) -> SQLiteError
    ) throws(SQLiteError) {
        var handle: OpaquePointer?
        let result = sqlite3_prepare_v3(
            connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard result == SQLITE_OK else { throw fail(result, sql) }
        guard let handle else {
            throw .statement(code: .misuse, message: "there is no statement", sql: sql)
        }
        self.sql = sql
        self.handle = handle
        self.fail = fail
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs to the end.
    /// - Parameter limit: Rows after this many are not fetched.
    func run(_ arguments: [any SQLiteConvertible], limit: Int = .max) throws(SQLiteError) -> [Row] {
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        try bind(arguments)
        var rows: [Row] = []
        while rows.count < limit {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: rows.append(Row(columns: columns, values: columns.indices.map { value(at: Int32($0)) }))
            case SQLITE_DONE: return rows
            case let code: throw fail(code, sql)
            }
        }
        return rows
    }

    private func bind(_ arguments: [any SQLiteConvertible]) throws(SQLiteError) {
        let expected = Int(sqlite3_bind_parameter_count(handle))
        guard arguments.count == expected else {
            throw .statement(
                code: .misuse, message: "\(expected) arguments are needed, \(arguments.count) are given", sql: sql)
        }
        for (index, argument) in zip(Int32(1)..., arguments) {
            let result = bind(argument.sqliteValue, at: index)
            guard result == SQLITE_OK else { throw fail(result, sql) }
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        // SQLITE_TRANSIENT: SQLite copies the bytes before the call returns. A macro, so it is not imported.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let value): return sqlite3_bind_int64(handle, index, value)
        case .real(let value): return sqlite3_bind_double(handle, index, value)
        case .text(var value):
            return value.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    // A nil pointer would bind null, so the empty text borrows a pointer it never reads.
                    guard let base = characters.baseAddress else {
                        return sqlite3_bind_text(handle, index, "", 0, transient)
                    }
                    return sqlite3_bind_text64(
                        handle, index, base, UInt64(characters.count), transient, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let value):
            guard !value.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
            return value.withUnsafeBytes {
                sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), transient)
            }
        }
    }

    private func value(at column: Int32) -> SQLiteValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(handle, column) else { return .null }
            // The pointer first, the count after it: the other order may count another encoding.
            let count = Int(sqlite3_column_bytes(handle, column))
            return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            guard let start = sqlite3_column_blob(handle, column) else { return .blob(Data()) }
            return .blob(Data(bytes: start, count: Int(sqlite3_column_bytes(handle, column))))
        default: return .null
        }
    }
}
