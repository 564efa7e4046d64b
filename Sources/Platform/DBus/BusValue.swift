public import Foundation

/// A value as D-Bus knows it (D-Bus Specification, 'Type System').
///
/// Two forms that nearly every message has are cases of their own, so that they cost no more than they have to: an array
/// of bytes is ``bytes(_:)`` and a dictionary from strings to variants is ``properties(_:)``. What is read from a message
/// is always in these forms; both may be built the long way, too, and go out the same.
public enum BusValue: Sendable, Equatable {
    /// `y`
    case byte(UInt8)
    /// `b`
    case bool(Bool)
    /// `n`
    case int16(Int16)
    /// `q`
    case uint16(UInt16)
    /// `i`
    case int32(Int32)
    /// `u`
    case uint32(UInt32)
    /// `x`
    case int64(Int64)
    /// `t`
    case uint64(UInt64)
    /// `d`
    case double(Double)
    /// `s`; without NUL.
    case string(String)
    /// `o`, an object path such as `/org/bluez/hci0`.
    case path(String)
    /// `g`, a type signature such as `a{sv}`.
    case signature(String)
    /// `h`, a file descriptor. Sending does not take it away from the sender.
    case fd(BusDescriptor)
    /// `ay`
    case bytes(Data)
    /// `a{sv}`: the variants' contents by name.
    case properties([String: BusValue])
    /// An array; `of` is the elements' signature, needed where there are none.
    indirect case array(of: String, [BusValue])
    /// A dictionary, in the order of the message; `key` and `value` are signatures.
    indirect case dictionary(key: String, value: String, [BusEntry])
    /// `(…)`, with at least one field.
    case structure([BusValue])
    /// `v`
    indirect case variant(BusValue)

    /// An array of strings, `as`.
    public static func strings(_ strings: [String]) -> BusValue { .array(of: "s", strings.map(BusValue.string)) }

    /// An array of object paths, `ao`.
    public static func paths(_ paths: [String]) -> BusValue { .array(of: "o", paths.map(BusValue.path)) }

    /// The value's type in D-Bus's notation.
    public var typeSignature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .fd: "h"
        case .bytes: "ay"
        case .properties: "a{sv}"
        case .array(let element, _): "a" + element
        case .dictionary(let key, let value, _): "a{" + key + value + "}"
        case .structure(let fields): "(" + fields.map(\.typeSignature).joined() + ")"
        case .variant: "v"
        }
    }
}

/// One entry of a ``BusValue/dictionary(key:value:_:)``.
public struct BusEntry: Sendable, Equatable {
    /// Of a basic type.
    public var key: BusValue
    /// Of any type, the same for all entries.
    public var value: BusValue

    /// Pairs the two.
    public init(_ key: BusValue, _ value: BusValue) {
        self.key = key
        self.value = value
    }
}

extension BusValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// A ``string(_:)``.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An ``int32(_:)``; say `.uint32(1)` and the like for other widths.
    public init(integerLiteral value: Int32) { self = .int32(value) }
    /// A ``bool(_:)``.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
