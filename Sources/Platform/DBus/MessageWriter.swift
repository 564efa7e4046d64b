import CSystemd
import Foundation
import Glibc

/// Appends values to a message that is not sent yet.
struct MessageWriter {
    private let message: OpaquePointer
    private var depth = 0

    init(_ message: OpaquePointer) { self.message = message }

    /// Appends `values` as the message's arguments.
    /// - Throws: ``BusError/invalid(_:)``, with the value that D-Bus does not allow.
    static func append(_ values: [BusValue], to message: OpaquePointer) throws(BusError) {
        var writer = MessageWriter(message)
        for value in values { try writer.append(value) }
    }

    private mutating func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .byte(let number): try append(number, "y")
        case .bool(let flag): try append(Int32(flag ? 1 : 0), "b")
        case .int16(let number): try append(number, "n")
        case .uint16(let number): try append(number, "q")
        case .int32(let number): try append(number, "i")
        case .uint32(let number): try append(number, "u")
        case .int64(let number): try append(number, "x")
        case .uint64(let number): try append(number, "t")
        case .double(let number): try append(number, "d")
        case .string(let text): try append(text, "s")
        case .path(let path): try append(path, "o")
        case .signature(let signature): try append(signature, "g")
        case .fd(let descriptor): try append(descriptor)
        case .bytes(let data): try append(data)
        case .properties(let properties): try append(properties)
        case .array(let element, let elements):
            try open("a", element)
            for element in elements { try append(element) }
            try close()
        case .dictionary(let key, let value, let entries):
            let entry = key + value
            try open("a", "{" + entry + "}")
            for element in entries {
                try open("e", entry)
                try append(element.key)
                try append(element.value)
                try close()
            }
            try close()
        case .structure(let fields):
            // sd-bus would send it, and the bus would close the connection.
            guard !fields.isEmpty else { throw .invalid("a structure without fields") }
            try open("r", fields.map(\.typeSignature).joined())
            for field in fields { try append(field) }
            try close()
        case .variant(let inner): try append(variant: inner)
        }
    }

    private mutating func append(_ properties: [String: BusValue]) throws(BusError) {
        try open("a", "{sv}")
        for (key, value) in properties {
            try open("e", "sv")
            try append(key, "s")
            try append(variant: value)
            try close()
        }
        try close()
    }

    private mutating func append(variant inner: BusValue) throws(BusError) {
        try open("v", inner.typeSignature)
        try append(inner)
        try close()
    }

    private func append<Number: BitwiseCopyable>(_ number: Number, _ letter: Unicode.Scalar) throws(BusError) {
        var number = number
        let result = sd_bus_message_append_basic(message, CChar(UInt8(ascii: letter)), &number)
        guard result >= 0 else {
            throw BusError(sending: "a value of type '\(letter)' does not fit here", result: result)
        }
    }

    private func append(_ text: String, _ letter: Unicode.Scalar) throws(BusError) {
        guard !text.utf8.contains(0) else { throw .invalid("a string with a NUL in it") }
        let result = sd_bus_message_append_basic(message, CChar(UInt8(ascii: letter)), text)
        guard result >= 0 else {
            let kind =
                letter == "o" ? "the object path '\(text)'" : letter == "g" ? "the signature '\(text)'" : "a string"
            throw BusError(sending: kind, result: result)
        }
    }

    private func append(_ descriptor: BusDescriptor) throws(BusError) {
        // A duplicate, so that nobody can take or close the descriptor in the middle; sd-bus makes its own.
        guard var copy = descriptor.duplicate() else {
            throw .invalid("a file descriptor that was taken or cannot be copied")
        }
        defer { Glibc.close(copy) }
        let result = sd_bus_message_append_basic(message, CChar(UInt8(ascii: "h")), &copy)
        guard result >= 0 else { throw BusError(sending: "a file descriptor", result: result) }
    }

    private func append(_ data: Data) throws(BusError) {
        let result = data.withUnsafeBytes { bytes in
            sd_bus_message_append_array(message, CChar(UInt8(ascii: "y")), bytes.baseAddress, bytes.count)
        }
        guard result >= 0 else { throw BusError(sending: "\(data.count) bytes", result: result) }
    }

    private mutating func open(_ letter: Unicode.Scalar, _ contents: String) throws(BusError) {
        depth += 1
        guard depth <= MessageReader.depthLimit else {
            throw .invalid("values that nest deeper than \(MessageReader.depthLimit) levels")
        }
        let result = sd_bus_message_open_container(message, CChar(UInt8(ascii: letter)), contents)
        guard result >= 0 else {
            throw BusError(sending: "a container '\(letter)' of '\(contents)'", result: result)
        }
    }

    private mutating func close() throws(BusError) {
        depth -= 1
        let result = sd_bus_message_close_container(message)
        guard result >= 0 else { throw BusError(sending: "a container's end", result: result) }
    }
}
