import CSystemd
import Foundation
import Glibc

/// Reads the arguments of one message.
///
/// The message comes from another process, maybe a hostile one. sd-bus has checked lengths, alignment, UTF-8 and paths;
/// what is left is how deep the values nest, and how much memory a few bytes can ask for: an empty array takes 4 bytes on
/// the wire and a few dozen here.
struct MessageReader {
    /// Why a message is not read.
    enum Fault: Error {
        /// Containers within containers, beyond the specification's 64.
        case tooDeep
        /// More than ``MessageReader/limit`` values.
        case tooMany
        /// sd-bus's negative result, or 0 where an argument ends too early.
        case malformed(Int32)

        var text: String {
            switch self {
            case .tooDeep: "its values nest deeper than \(MessageReader.depthLimit) levels"
            case .tooMany: "it holds more than \(MessageReader.limit) values"
            case .malformed(let result): "it is malformed (\(BusError.text(of: result)))"
            }
        }
    }

    /// Values in one message; an array of bytes counts as one.
    static let limit = 1 << 18
    /// Containers within each other.
    static let depthLimit = 64

    private let message: OpaquePointer
    private let types: MessageTypes
    private var depth = 0
    private var count = 0

    init(_ message: OpaquePointer, _ types: MessageTypes) {
        self.message = message
        self.types = types
    }

    /// All arguments, from the first.
    mutating func arguments() throws(Fault) -> [BusValue] {
        guard let signature = sd_bus_message_get_signature(message, 1) else { throw .malformed(-EBADMSG) }
        guard signature[0] != 0 else { return [] }
        guard let types = types.types(of: String(cString: signature)) else { throw .malformed(-EBADMSG) }
        var values: [BusValue] = []
        values.reserveCapacity(types.count)
        for type in types { values.append(try value(type)) }
        return values
    }

    /// The value of a property, if the message is a PropertiesChanged of that interface and tells this property alone;
    /// otherwise nil, and the message is as before.
    mutating func onlyProperty(_ property: CText, of interface: CText) throws(Fault) -> BusValue? {
        guard let signature = sd_bus_message_get_signature(message, 1), strcmp(signature, "sa{sv}as") == 0 else {
            return nil
        }
        let value = try onlyProperty(property, interface)
        if value == nil { sd_bus_message_rewind(message, 1) }
        return value
    }

    private mutating func onlyProperty(_ property: CText, _ interface: CText) throws(Fault) -> BusValue? {
        guard let changed = try nextText(), strcmp(changed, interface.pointer) == 0,
            try enterNext("a", MessageType.propertyContents), try enterNext("e", MessageType.propertyEntry),
            let name = try nextText(), strcmp(name, property.pointer) == 0
        else { return nil }
        let value = try contentsOfVariant()
        try leave()
        guard try !enterNext("e", MessageType.propertyEntry) else { return nil }
        try leave()
        // The names of those whose new value is not told.
        guard try enterNext("a", MessageType.stringContents), try nextText() == nil else { return nil }
        return value
    }

    private mutating func value(_ type: MessageType) throws(Fault) -> BusValue {
        count += 1
        guard count <= Self.limit else { throw .tooMany }
        switch type.form {
        case .basic(let letter): return try basic(letter)
        case .bytes: return .bytes(try bytes())
        case .properties: return .properties(try properties(type))
        case .array(let element):
            try enter("a", type.contents)
            var elements: [BusValue] = []
            while try hasMore() { elements.append(try value(element)) }
            try leave()
            return .array(of: element.signature, elements)
        case .dictionary(let key, let value, let entry):
            try enter("a", type.contents)
            var entries: [BusEntry] = []
            while try enterNext("e", entry) {
                entries.append(BusEntry(try self.value(key), try self.value(value)))
                try leave()
            }
            try leave()
            return .dictionary(key: key.signature, value: value.signature, entries)
        case .structure(let fields):
            try enter("r", type.contents)
            var values: [BusValue] = []
            values.reserveCapacity(fields.count)
            for field in fields { values.append(try value(field)) }
            try leave()
            return .structure(values)
        case .variant: return .variant(try contentsOfVariant())
        }
    }

    private mutating func properties(_ type: MessageType) throws(Fault) -> [String: BusValue] {
        var properties: [String: BusValue] = [:]
        try enter("a", type.contents)
        while try enterNext("e", MessageType.propertyEntry) {
            let key = try text(UInt8(ascii: "s"))
            properties[key] = try contentsOfVariant()
            try leave()
        }
        try leave()
        return properties
    }

    private mutating func contentsOfVariant() throws(Fault) -> BusValue {
        var letter: CChar = 0
        var contents: UnsafePointer<CChar>?
        let result = sd_bus_message_peek_type(message, &letter, &contents)
        guard result > 0, let contents, let type = types.type(ofVariant: contents) else { throw .malformed(result) }
        try enter("v", contents)
        let inner = try value(type)
        try leave()
        return inner
    }

    private func basic(_ letter: UInt8) throws(Fault) -> BusValue {
        switch letter {
        case UInt8(ascii: "s"): return .string(try text(letter))
        case UInt8(ascii: "o"): return .path(try text(letter))
        case UInt8(ascii: "g"): return .signature(try text(letter))
        case UInt8(ascii: "b"): return .bool(try read(letter, Int32(0)) != 0)
        case UInt8(ascii: "y"): return .byte(try read(letter, 0))
        case UInt8(ascii: "n"): return .int16(try read(letter, 0))
        case UInt8(ascii: "q"): return .uint16(try read(letter, 0))
        case UInt8(ascii: "i"): return .int32(try read(letter, 0))
        case UInt8(ascii: "u"): return .uint32(try read(letter, 0))
        case UInt8(ascii: "x"): return .int64(try read(letter, 0))
        case UInt8(ascii: "t"): return .uint64(try read(letter, 0))
        case UInt8(ascii: "d"): return .double(try read(letter, 0))
        default:
            // 'h': sd-bus owns the descriptor and closes it with the message.
            let copy = fcntl(try read(letter, Int32(-1)), F_DUPFD_CLOEXEC, 3)
            guard copy >= 0 else { throw .malformed(-errno) }
            return .fd(BusDescriptor(owning: copy))
        }
    }

    private func text(_ letter: UInt8) throws(Fault) -> String {
        var text: UnsafePointer<CChar>?
        let result = sd_bus_message_read_basic(message, CChar(letter), &text)
        guard result > 0, let text else { throw .malformed(result) }
        return String(cString: text)
    }

    /// The text that comes next, where it lies; nil at the end of what contains it.
    private func nextText() throws(Fault) -> UnsafePointer<CChar>? {
        var text: UnsafePointer<CChar>?
        let result = sd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &text)
        guard result >= 0 else { throw .malformed(result) }
        return result > 0 ? text : nil
    }

    private func read<Value: BitwiseCopyable>(_ letter: UInt8, _ zero: Value) throws(Fault) -> Value {
        var value = zero
        let result = sd_bus_message_read_basic(message, CChar(letter), &value)
        guard result > 0 else { throw .malformed(result) }
        return value
    }

    private func bytes() throws(Fault) -> Data {
        var pointer: UnsafeRawPointer?
        var size = 0
        let result = sd_bus_message_read_array(message, CChar(UInt8(ascii: "y")), &pointer, &size)
        guard result > 0 else { throw .malformed(result) }
        guard let pointer, size > 0 else { return Data() }
        return Data(bytes: pointer, count: size)
    }

    private func hasMore() throws(Fault) -> Bool {
        let result = sd_bus_message_at_end(message, 0)
        guard result >= 0 else { throw .malformed(result) }
        return result == 0
    }

    private mutating func enter(_ letter: Unicode.Scalar, _ contents: CText) throws(Fault) {
        try enter(letter, contents.pointer)
    }

    private mutating func enter(_ letter: Unicode.Scalar, _ contents: UnsafePointer<CChar>) throws(Fault) {
        guard try enterNext(letter, contents) else { throw .malformed(0) }
    }

    /// Enters a container, unless there is none left in the one around it.
    private mutating func enterNext(_ letter: Unicode.Scalar, _ contents: CText) throws(Fault) -> Bool {
        try enterNext(letter, contents.pointer)
    }

    private mutating func enterNext(_ letter: Unicode.Scalar, _ contents: UnsafePointer<CChar>) throws(Fault) -> Bool {
        guard depth < Self.depthLimit else { throw .tooDeep }
        let result = sd_bus_message_enter_container(message, CChar(UInt8(ascii: letter)), contents)
        guard result >= 0 else { throw .malformed(result) }
        if result > 0 { depth += 1 }
        return result > 0
    }

    private mutating func leave() throws(Fault) {
        depth -= 1
        let result = sd_bus_message_exit_container(message)
        guard result >= 0 else { throw .malformed(result) }
    }
}
