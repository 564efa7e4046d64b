public import Foundation

/// What is inside, or nil where the value is of another type. All of them look through variants.
extension BusValue {
    /// The value without the variants around it.
    public var unwrapped: BusValue {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }

    /// A boolean.
    public var bool: Bool? {
        if case .bool(let value) = unwrapped { value } else { nil }
    }

    /// Any integer, bytes among them, that fits.
    public var int: Int? {
        switch unwrapped {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(exactly: value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// A floating-point number.
    public var double: Double? {
        if case .double(let value) = unwrapped { value } else { nil }
    }

    /// A string, an object path or a signature.
    public var string: String? {
        switch unwrapped {
        case .string(let value), .path(let value), .signature(let value): value
        default: nil
        }
    }

    /// An array of bytes.
    public var data: Data? {
        switch unwrapped {
        case .bytes(let value):
            return value
        case .array(of: "y", let elements):
            return Data(elements.compactMap { if case .byte(let byte) = $0 { byte } else { nil } })
        default: return nil
        }
    }

    /// An array of strings or object paths.
    public var strings: [String]? {
        guard case .array(let element, let elements) = unwrapped, element == "s" || element == "o" else { return nil }
        return elements.compactMap(\.string)
    }

    /// Any array but one of bytes, which is ``data``.
    public var array: [BusValue]? {
        if case .array(_, let elements) = unwrapped { elements } else { nil }
    }

    /// A dictionary from strings to variants, the variants unwrapped once.
    public var properties: [String: BusValue]? {
        switch unwrapped {
        case .properties(let properties):
            return properties
        case .dictionary(key: "s", value: "v", let entries):
            return entries.reduce(into: [:]) { properties, entry in
                guard case .string(let key) = entry.key, case .variant(let value) = entry.value else { return }
                properties[key] = value
            }
        default: return nil
        }
    }

    /// The entries of any dictionary; those of ``properties(_:)`` in no particular order.
    public var entries: [BusEntry]? {
        switch unwrapped {
        case .dictionary(_, _, let entries): entries
        case .properties(let properties): properties.map { BusEntry(.string($0.key), .variant($0.value)) }
        default: nil
        }
    }

    /// A file descriptor.
    public var descriptor: BusDescriptor? {
        if case .fd(let value) = unwrapped { value } else { nil }
    }

    /// The fields of a structure.
    public var structure: [BusValue]? {
        if case .structure(let fields) = unwrapped { fields } else { nil }
    }
}
