public import Foundation

/// A value as SQLite stores it.
public enum SQLiteValue: Sendable, Hashable {
    /// No value.
    case null
    /// A signed 64-bit integer.
    case integer(Int64)
    /// A double. SQLite stores NaN as null.
    case real(Double)
    /// UTF-8 text; may contain zero bytes.
    case text(String)
    /// Bytes.
    case blob(Data)

    /// The name of the storage class, for errors.
    var storageClass: String {
        switch self {
        case .null: "null"
        case .integer: "an integer"
        case .real: "a real number"
        case .text: "text"
        case .blob: "a blob"
        }
    }
}

/// A Swift type that a statement can take as an argument and a row can give.
public protocol SQLiteConvertible {
    /// The value to store.
    var sqliteValue: SQLiteValue { get }
    /// The stored value as this type; nil when it is of another storage class or out of range.
    init?(sqliteValue: SQLiteValue)
}

extension SQLiteValue: SQLiteConvertible {
    /// Itself.
    public var sqliteValue: SQLiteValue { self }
    /// Any value.
    public init?(sqliteValue: SQLiteValue) { self = sqliteValue }
}

extension Int64: SQLiteConvertible {
    /// An integer.
    public var sqliteValue: SQLiteValue { .integer(self) }
    /// From an integer.
    public init?(sqliteValue: SQLiteValue) {
        guard case .integer(let value) = sqliteValue else { return nil }
        self = value
    }
}

extension Int: SQLiteConvertible {
    /// An integer.
    public var sqliteValue: SQLiteValue { .integer(Int64(self)) }
    /// From an integer that fits.
    public init?(sqliteValue: SQLiteValue) {
        guard case .integer(let value) = sqliteValue else { return nil }
        self.init(exactly: value)
    }
}

extension Bool: SQLiteConvertible {
    /// 0 or 1.
    public var sqliteValue: SQLiteValue { .integer(self ? 1 : 0) }
    /// From 0 or 1.
    public init?(sqliteValue: SQLiteValue) {
        switch sqliteValue {
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }
}

extension Double: SQLiteConvertible {
    /// A real number.
    public var sqliteValue: SQLiteValue { .real(self) }
    /// From a real number or an integer.
    public init?(sqliteValue: SQLiteValue) {
        switch sqliteValue {
        case .real(let value): self = value
        case .integer(let value): self.init(value)
        default: return nil
        }
    }
}

extension String: SQLiteConvertible {
    /// Text.
    public var sqliteValue: SQLiteValue { .text(self) }
    /// From text.
    public init?(sqliteValue: SQLiteValue) {
        guard case .text(let value) = sqliteValue else { return nil }
        self = value
    }
}

extension Data: SQLiteConvertible {
    /// A blob.
    public var sqliteValue: SQLiteValue { .blob(self) }
    /// From a blob.
    public init?(sqliteValue: SQLiteValue) {
        guard case .blob(let value) = sqliteValue else { return nil }
        self = value
    }
}

extension Optional: SQLiteConvertible where Wrapped: SQLiteConvertible {
    /// Null for nil.
    public var sqliteValue: SQLiteValue { self?.sqliteValue ?? .null }
    /// Nil for null; fails when there is a value of another type.
    public init?(sqliteValue: SQLiteValue) {
        guard sqliteValue != .null else {
            self = Wrapped?.none
            return
        }
        guard let wrapped = Wrapped(sqliteValue: sqliteValue) else { return nil }
        self = wrapped
    }
}
