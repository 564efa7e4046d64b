/// A line as it is being typed, byte by byte: the keys that a terminal's own line would know, and no more.
struct TypedLine {
    enum Event: Equatable {
        /// Something is to be shown anew.
        case edited
        /// Enter: the line as it was, without its end; a new one has begun.
        case entered(String)
        /// There is no more: the end of a pipe, or Ctrl-D on an empty line.
        case ended
    }

    /// More than any name or password has, in bytes: what is typed beyond it does not count.
    static let longest = 4096

    private enum Escape { case none, begun, sequence }

    /// Whether keys are typed; a pipe has none, only bytes.
    let hasKeys: Bool
    private var bytes: [UInt8] = []
    private var escape = Escape.none

    init(hasKeys: Bool) { self.hasKeys = hasKeys }

    /// What has been typed so far, without a character of which bytes are missing yet.
    var text: String {
        var whole = bytes[...]
        // At most three bytes of a character can be there without its last.
        while !whole.isEmpty, bytes.count - whole.count < 3, String(validating: whole, as: UTF8.self) == nil {
            whole.removeLast()
        }
        return String(validating: whole, as: UTF8.self) ?? String(decoding: bytes, as: UTF8.self)
    }

    /// Takes the next byte; nil where it changes nothing that is shown.
    mutating func take(_ byte: UInt8) -> Event? {
        guard hasKeys else { return takePlain(byte) }
        switch escape {
        case .begun:
            // `[` and `O` begin the sequences of arrows and function keys.
            escape = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") ? .sequence : .none
            return nil
        case .sequence:
            if (0x40...0x7E).contains(byte) { escape = .none }
            return nil
        case .none: break
        }
        switch byte {
        case 0x0A, 0x0D: return enter()
        case 0x04: return bytes.isEmpty ? .ended : nil
        case 0x08, 0x7F: return removeLast()
        case 0x15:
            bytes = []
            return .edited
        case 0x1B:
            escape = .begun
            return nil
        case 0..<0x20: return nil
        default: return append(byte)
        }
    }

    /// The pipe has ended.
    mutating func end() -> Event { bytes.isEmpty ? .ended : enter() }

    private mutating func takePlain(_ byte: UInt8) -> Event? {
        if byte == 0x0A { return enter() }
        return append(byte)
    }

    private mutating func append(_ byte: UInt8) -> Event? {
        guard bytes.count < Self.longest else { return nil }
        bytes.append(byte)
        return .edited
    }

    private mutating func removeLast() -> Event? {
        var text = String(decoding: bytes, as: UTF8.self)
        guard text.popLast() != nil else { return nil }
        bytes = Array(text.utf8)
        return .edited
    }

    private mutating func enter() -> Event {
        if !hasKeys, bytes.last == 0x0D { bytes.removeLast() }
        defer { bytes = [] }
        return .entered(String(decoding: bytes, as: UTF8.self))
    }
}
