import Foundation

/// What commands and results have in common: command (1 byte), length of the data (1), data, checksum (1), which is the
/// low byte of the sum of all before it. The data is strings, each behind its length (1).
enum ImprovFrame {
    static let maximumDataBytes = 255
    /// Command, length and checksum.
    static let overhead = 3

    static func encode(_ command: UInt8, strings: [Data]) throws(WireError) -> Data {
        var data = Data()
        for string in strings {
            guard let length = UInt8(exactly: string.count) else {
                throw .length(field: "string", actual: string.count, allowed: 0...maximumDataBytes)
            }
            data.append(length)
            data += string
        }
        guard let length = UInt8(exactly: data.count) else {
            throw .length(field: "strings", actual: data.count, allowed: 0...maximumDataBytes)
        }
        let frame = Data([command, length]) + data
        return frame + [checksum(frame)]
    }

    static func decode(_ frame: Data) throws(WireError) -> (command: UInt8, strings: [Data]) {
        guard (overhead...overhead + maximumDataBytes).contains(frame.count) else {
            throw .length(field: "frame", actual: frame.count, allowed: overhead...overhead + maximumDataBytes)
        }
        let bytes = Array(frame)
        guard bytes.count == Int(bytes[1]) + overhead else {
            let announced = Int(bytes[1]) + overhead
            throw .length(field: "frame", actual: bytes.count, allowed: announced...announced)
        }
        let expected = checksum(frame.dropLast())
        guard bytes[bytes.count - 1] == expected else {
            throw .value(field: "checksum", reason: "it is \(bytes[bytes.count - 1]), and the sum \(expected)")
        }
        return (bytes[0], try strings(bytes[2..<bytes.count - 1]))
    }

    private static func strings(_ data: ArraySlice<UInt8>) throws(WireError) -> [Data] {
        var strings: [Data] = []
        var rest = data
        while let length = rest.popFirst() {
            guard Int(length) <= rest.count else {
                throw .length(field: "string", actual: rest.count, allowed: Int(length)...Int(length))
            }
            strings.append(Data(rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
        return strings
    }

    private static func checksum(_ bytes: Data) -> UInt8 { bytes.reduce(0, &+) }
}
