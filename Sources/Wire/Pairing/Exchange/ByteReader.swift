import Foundation

/// Takes a message apart from the front; what is not there is an error that names the field.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ data: Data) { rest = Array(data)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte(_ field: String) throws(WireError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .missing(field: field) }
        return byte
    }

    mutating func number(_ field: String) throws(WireError) -> UInt16 {
        UInt16(try byte(field)) << 8 | UInt16(try byte(field))
    }

    mutating func bytes(_ count: Int, _ field: String) throws(WireError) -> Data {
        guard rest.count >= count else { throw .missing(field: field) }
        defer { rest = rest.dropFirst(count) }
        return Data(rest.prefix(count))
    }

    /// A length (1 byte) and as many bytes.
    mutating func counted(_ field: String) throws(WireError) -> Data { try bytes(Int(try byte(field)), field) }

    mutating func remainder() -> Data {
        defer { rest = [] }
        return Data(rest)
    }

    /// The message has no more than what was read.
    func end(_ message: String) throws(WireError) {
        guard rest.isEmpty else { throw .value(field: message, reason: "\(rest.count) bytes too many") }
    }
}
