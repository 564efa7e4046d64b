import CGStreamer

/// A value out of a `GstStructure`.
enum StructureValue: Sendable, Equatable {
    case boolean(Bool)
    case signed(Int64)
    case unsigned(UInt64)
    case real(Double)
    case text(String)
    /// The number of an enumeration's case.
    case enumeration(Int)
    case structure([String: StructureValue])

    /// Reads all fields; those of other types are left out.
    static func fields(of structure: UnsafePointer<GstStructure>) -> [String: StructureValue] {
        var fields: [String: StructureValue] = [:]
        for index in 0..<max(0, gst_structure_n_fields(structure)) {
            guard let name = gst_structure_nth_field_name(structure, UInt32(index)),
                let value = gst_structure_get_value(structure, name)
            else { continue }
            fields[String(cString: name)] = StructureValue(value)
        }
        return fields
    }

    private init?(_ value: UnsafePointer<GValue>) {
        switch pl_value_type(value) {
        case pl_type_boolean(): self = .boolean(g_value_get_boolean(value) != 0)
        case pl_type_int(): self = .signed(Int64(g_value_get_int(value)))
        case pl_type_int64(): self = .signed(Int64(g_value_get_int64(value)))
        case pl_type_uint(): self = .unsigned(UInt64(g_value_get_uint(value)))
        case pl_type_uint64(): self = .unsigned(UInt64(g_value_get_uint64(value)))
        case pl_type_double(): self = .real(g_value_get_double(value))
        case pl_type_string():
            guard let text = g_value_get_string(value) else { return nil }
            self = .text(String(cString: text))
        case pl_type_structure():
            guard let structure = gst_value_get_structure(value) else { return nil }
            self = .structure(Self.fields(of: structure))
        default:
            guard pl_value_is_enum(value) != 0 else { return nil }
            self = .enumeration(Int(g_value_get_enum(value)))
        }
    }
}
