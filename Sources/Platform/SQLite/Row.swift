/// One row of a result: values by column name. A value of its own, it outlives the statement.
public struct Row: Sendable, Equatable {
    /// The column names, in the order of the query.
    public let columns: [String]
    /// The values, in the same order.
    public let values: [SQLiteValue]

    /// The value of the first column with this name, as the type that the context asks for.
    ///
    /// Throws ``SQLiteError/column(name:expected:found:)`` when there is no such column or its value is of another type;
    /// ask for an optional where null is allowed.
    public subscript<Value: SQLiteConvertible>(_ name: String) -> Value {
        get throws(SQLiteError) {
            guard let index = columns.firstIndex(of: name) else {
                throw .column(name: name, expected: "\(Value.self)", found: "missing")
            }
            guard let value = Value(sqliteValue: values[index]) else {
                throw .column(name: name, expected: "\(Value.self)", found: values[index].storageClass)
            }
            return value
        }
    }
}
