import Foundation

/// One frame as it is sent (RFC 6455 section 5.2).
enum WebSocketFrame {
    /// The frame types.
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    /// A single, final frame.
    /// - Parameter mask: What a client XORs its payload with; nil for a server.
    static func encode(_ opcode: Opcode, _ payload: Data, mask: UInt32?) -> Data {
        var frame = Data(capacity: payload.count + 14)
        frame.append(0x80 | opcode.rawValue)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case ...125: frame.append(maskBit | UInt8(payload.count))
        case ...0xffff:
            frame.append(maskBit | 126)
            withUnsafeBytes(of: UInt16(payload.count).bigEndian) { frame.append(contentsOf: $0) }
        default:
            frame.append(maskBit | 127)
            withUnsafeBytes(of: UInt64(payload.count).bigEndian) { frame.append(contentsOf: $0) }
        }
        guard let mask else { return frame + payload }
        let key = withUnsafeBytes(of: mask.bigEndian) { Array($0) }
        frame.append(contentsOf: key)
        let start = frame.count
        frame.append(payload)
        frame.withUnsafeMutableBytes { bytes in
            apply(key, to: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), phase: 0)
        }
        return frame
    }

    /// The payload of a close frame: the code, then the reason, cut to what a control frame holds.
    static func closePayload(code: Int, reason: String) -> Data {
        guard code != 1005 else { return Data() }
        var text = reason
        while text.utf8.count > 123 { text.removeLast() }
        return withUnsafeBytes(of: UInt16(clamping: code).bigEndian) { Data($0) } + Data(text.utf8)
    }

    /// Whether a close code may stand in a close frame (RFC 6455 section 7.4, and the registry's later 1012 to 1014).
    static func mayBeSent(closeCode: Int) -> Bool {
        (1000...1003).contains(closeCode) || (1007...1014).contains(closeCode) || (3000...4999).contains(closeCode)
    }

    /// Masks or unmasks in place.
    /// - Parameter phase: How many bytes of the same payload came before these.
    static func apply(_ key: [UInt8], to bytes: UnsafeMutableRawBufferPointer, phase: Int) {
        guard key.count == 4 else { return }
        for index in bytes.indices { bytes[index] ^= key[(phase + index) & 3] }
    }
}
