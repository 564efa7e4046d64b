import Foundation

/// Turns the bytes from a WebSocket's peer into messages (RFC 6455 sections 5 and 8).
///
/// A value without I/O. It puts fragments together under a cap of its own, and grows only by bytes that have come, never
/// by a length that a header promises. After a failure it takes nothing more.
struct WebSocketFrameDecoder {
    /// What a frame amounted to.
    enum Event: Equatable {
        case message(WebSocket.Message)
        case ping(Data)
        case pong
        /// The peer closes; 1005 stands for 'no code given'.
        case close(code: Int, reason: String)
        /// The peer broke the protocol or a limit: close with this code.
        case failure(code: Int, reason: String)
    }

    private struct Header {
        var opcode: WebSocketFrame.Opcode
        var isFinal: Bool
        var key: [UInt8]
        var length: Int
    }

    private struct Violation: Error {
        var code: Int
        var reason: String
    }

    private let maximumMessageBytes: Int
    private let expectsMask: Bool
    private var input: [UInt8] = []
    private var position = 0
    private var header: Header?
    private var payload: [UInt8] = []
    private var fragmented: WebSocketFrame.Opcode?
    private var message: [UInt8] = []
    private var hasFailed = false

    /// - Parameters:
    ///   - maximumMessageBytes: The cap on a whole message.
    ///   - expectsMask: True on a server: clients must mask, servers must not.
    init(maximumMessageBytes: Int, expectsMask: Bool) {
        self.maximumMessageBytes = maximumMessageBytes
        self.expectsMask = expectsMask
    }

    /// Takes in what was received.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        guard !hasFailed else { return }
        input.append(contentsOf: bytes)
    }

    /// The next event, or nil when more bytes are needed.
    mutating func next() -> Event? {
        guard !hasFailed else { return nil }
        do {
            while true {
                if header == nil { header = try readHeader() }
                guard let header, readPayload(header) else {
                    compact()
                    return nil
                }
                self.header = nil
                if let event = try finishFrame(header) { return event }
            }
        } catch {
            hasFailed = true
            (input, payload, message) = ([], [], [])
            return .failure(code: error.code, reason: error.reason)
        }
    }

    private mutating func readHeader() throws(Violation) -> Header? {
        let available = input.count - position
        guard available >= 2 else { return nil }
        let (first, second) = (input[position], input[position + 1])
        guard first & 0x70 == 0 else { throw Violation(code: 1002, reason: "reserved bits are set") }
        guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0f) else {
            throw Violation(code: 1002, reason: "unknown frame type")
        }
        let isFinal = first & 0x80 != 0
        guard (second & 0x80 != 0) == expectsMask else {
            throw Violation(code: 1002, reason: expectsMask ? "the frame is not masked" : "the frame is masked")
        }
        let shortLength = Int(second & 0x7f)
        guard !opcode.isControl || (isFinal && shortLength <= 125) else {
            throw Violation(code: 1002, reason: "a control frame is fragmented or too long")
        }
        let lengthBytes = shortLength == 126 ? 2 : shortLength == 127 ? 8 : 0
        let size = 2 + lengthBytes + (expectsMask ? 4 : 0)
        guard available >= size else { return nil }
        let length = try length(shortLength, input[(position + 2)..<(position + 2 + lengthBytes)])
        try check(opcode, length: length)
        let key = expectsMask ? Array(input[(position + size - 4)..<(position + size)]) : []
        position += size
        return Header(opcode: opcode, isFinal: isFinal, key: key, length: length)
    }

    private func length(_ short: Int, _ extended: ArraySlice<UInt8>) throws(Violation) -> Int {
        guard !extended.isEmpty else { return short }
        let long = extended.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard long > (short == 126 ? 125 : 0xffff) else {
            throw Violation(code: 1002, reason: "a length is not in its shortest form")
        }
        return Int(clamping: long)
    }

    private func check(_ opcode: WebSocketFrame.Opcode, length: Int) throws(Violation) {
        guard !opcode.isControl else { return }
        guard (opcode == .continuation) == (fragmented != nil) else {
            throw Violation(code: 1002, reason: "a fragment is out of order")
        }
        guard length <= maximumMessageBytes - message.count else {
            throw Violation(code: 1009, reason: "the message is over \(maximumMessageBytes) bytes")
        }
    }

    /// Moves what is there of the payload, unmasked.
    /// - Returns: Whether it is complete.
    private mutating func readPayload(_ header: Header) -> Bool {
        let taken = min(header.length - payload.count, input.count - position)
        let phase = payload.count
        payload.append(contentsOf: input[position..<(position + taken)])
        position += taken
        payload.withUnsafeMutableBytes { bytes in
            WebSocketFrame.apply(
                header.key, to: UnsafeMutableRawBufferPointer(rebasing: bytes[phase...]), phase: phase)
        }
        return payload.count == header.length
    }

    private mutating func finishFrame(_ header: Header) throws(Violation) -> Event? {
        defer { payload = [] }
        switch header.opcode {
        case .ping: return .ping(Data(payload))
        case .pong: return .pong
        case .close: return try close()
        case .text, .binary, .continuation:
            let type = fragmented ?? header.opcode
            if message.isEmpty { message = payload } else { message += payload }
            guard header.isFinal else {
                fragmented = type
                return nil
            }
            defer {
                fragmented = nil
                message = []
            }
            guard type == .text else { return .message(.binary(Data(message))) }
            guard let text = String(validating: message, as: UTF8.self) else {
                throw Violation(code: 1007, reason: "the text is not UTF-8")
            }
            return .message(.text(text))
        }
    }

    private func close() throws(Violation) -> Event {
        guard !payload.isEmpty else { return .close(code: 1005, reason: "") }
        guard payload.count >= 2 else { throw Violation(code: 1002, reason: "a close frame is too short") }
        let code = Int(payload[0]) << 8 | Int(payload[1])
        guard WebSocketFrame.mayBeSent(closeCode: code) else {
            throw Violation(code: 1002, reason: "\(code) is no close code")
        }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else {
            throw Violation(code: 1007, reason: "the close reason is not UTF-8")
        }
        return .close(code: code, reason: reason)
    }

    private mutating func compact() {
        guard position > 0 else { return }
        input.removeFirst(position)
        position = 0
    }
}
