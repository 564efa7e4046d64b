import Foundation

/// Why bytes from another process are no frame.
enum FrameError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The length is zero or above the limit.
    case length(Int)
    /// No frame has this kind.
    case kind(UInt8)
    /// The frame's content is shorter or longer than its kind demands.
    case content(kind: UInt8, bytes: Int)
    /// The other side speaks another version.
    case version(UInt8)

    var description: String {
        switch self {
        case .length(let count): "a frame of \(count) bytes (1 to \(RadioFrame.maximumLength) are allowed)"
        case .kind(let kind): "a frame of unknown kind \(kind)"
        case .content(let kind, let count): "a frame of kind \(kind) with \(count) bytes of content"
        case .version(let version): "version \(version) of the software radio; this is \(RadioFrame.version)"
        }
    }
}

/// What two software radios say to each other.
///
/// On the stream: the length of the rest (2 bytes, least significant first), the kind (1 byte), the content. A connection
/// begins with `listen` (and then carries advertisements) or `connect` (and then carries ATT).
enum RadioFrame: Equatable, Sendable {
    /// Central: send me your advertisements.
    case listen(RadioAddress)
    /// Peripheral: an advertisement.
    case advertisement(AdvertisementPacket, isConnectable: Bool, rssi: Int8)
    /// Central: I want to connect and can take ATT packets of this size.
    case connect(RadioAddress, mtu: UInt16)
    /// Peripheral: connected, and I can take this size.
    case accepted(mtu: UInt16)
    /// Peripheral: no.
    case refused
    /// Either: I hang up.
    case terminate
    /// An ATT packet.
    case att(Data)
    /// I have taken this many commands or notifications off the air: the link layer's acknowledgement.
    case acknowledged(UInt8)
    /// How strongly is your signal to be received?
    case signalRequest
    /// This strongly, in dBm.
    case signal(Int8)
    /// Handles in this range changed: discover again.
    case servicesChanged(first: UInt16, last: UInt16)

    static let version: UInt8 = 1
    /// The largest ATT packet and its kind.
    static let maximumLength = 1 + 517

    private enum Kind {
        static let listen: UInt8 = 0x01
        static let advertisement: UInt8 = 0x02
        static let connect: UInt8 = 0x10
        static let accepted: UInt8 = 0x11
        static let refused: UInt8 = 0x12
        static let terminate: UInt8 = 0x13
        static let att: UInt8 = 0x20
        static let acknowledged: UInt8 = 0x21
        static let signalRequest: UInt8 = 0x22
        static let signal: UInt8 = 0x23
        static let servicesChanged: UInt8 = 0x24
    }

    /// The bytes for the stream.
    var encoded: [UInt8] {
        let (kind, content): (UInt8, [UInt8]) =
            switch self {
            case .listen(let address): (Kind.listen, [Self.version] + address.bytes)
            case .advertisement(let packet, let isConnectable, let rssi):
                (
                    Kind.advertisement,
                    [isConnectable ? 1 : 0, UInt8(bitPattern: rssi), UInt8(packet.advertising.count)]
                        + packet.advertising + [UInt8(packet.scanResponse.count)] + packet.scanResponse
                )
            case .connect(let address, let mtu): (Kind.connect, [Self.version] + address.bytes + mtu.littleEndianBytes)
            case .accepted(let mtu): (Kind.accepted, mtu.littleEndianBytes)
            case .refused: (Kind.refused, [])
            case .terminate: (Kind.terminate, [])
            case .att(let packet): (Kind.att, [UInt8](packet))
            case .acknowledged(let count): (Kind.acknowledged, [count])
            case .signalRequest: (Kind.signalRequest, [])
            case .signal(let rssi): (Kind.signal, [UInt8(bitPattern: rssi)])
            case .servicesChanged(let first, let last):
                (Kind.servicesChanged, first.littleEndianBytes + last.littleEndianBytes)
            }
        return UInt16(content.count + 1).littleEndianBytes + [kind] + content
    }

    /// Reads a frame without its length.
    init(kind: UInt8, content: ArraySlice<UInt8>) throws(FrameError) {
        let bytes = [UInt8](content)
        func expect(_ condition: Bool) throws(FrameError) {
            guard condition else { throw .content(kind: kind, bytes: bytes.count) }
        }
        func address() throws(FrameError) -> RadioAddress {
            guard let version = bytes.first else { throw .content(kind: kind, bytes: 0) }
            guard version == Self.version else { throw .version(version) }
            guard let address = RadioAddress(bytes: bytes.dropFirst().prefix(6)) else {
                throw .content(kind: kind, bytes: bytes.count)
            }
            return address
        }
        switch kind {
        case Kind.listen:
            let address = try address()
            try expect(bytes.count == 7)
            self = .listen(address)
        case Kind.advertisement:
            try expect(bytes.count >= 4)
            let first = Int(bytes[2])
            try expect(first <= AdvertisementPacket.capacity && bytes.count >= 4 + first)
            let second = Int(bytes[3 + first])
            try expect(second <= AdvertisementPacket.capacity && bytes.count == 4 + first + second)
            self = .advertisement(
                AdvertisementPacket(
                    advertising: Data(bytes[3..<3 + first]), scanResponse: Data(bytes[(4 + first)...])),
                isConnectable: bytes[0] & 1 != 0, rssi: Int8(bitPattern: bytes[1]))
        case Kind.connect:
            let address = try address()
            try expect(bytes.count == 9)
            self = .connect(address, mtu: UInt16(littleEndian: bytes, at: 7))
        case Kind.accepted:
            try expect(bytes.count == 2)
            self = .accepted(mtu: UInt16(littleEndian: bytes, at: 0))
        case Kind.refused:
            try expect(bytes.isEmpty)
            self = .refused
        case Kind.terminate:
            try expect(bytes.isEmpty)
            self = .terminate
        case Kind.att:
            try expect((1...517).contains(bytes.count))
            self = .att(Data(bytes))
        case Kind.acknowledged:
            try expect(bytes.count == 1)
            self = .acknowledged(bytes[0])
        case Kind.signalRequest:
            try expect(bytes.isEmpty)
            self = .signalRequest
        case Kind.signal:
            try expect(bytes.count == 1)
            self = .signal(Int8(bitPattern: bytes[0]))
        case Kind.servicesChanged:
            try expect(bytes.count == 4)
            self = .servicesChanged(
                first: UInt16(littleEndian: bytes, at: 0), last: UInt16(littleEndian: bytes, at: 2))
        default: throw .kind(kind)
        }
    }
}

/// Cuts a stream into frames. It holds no more than one unfinished frame and what one read brought.
struct FrameDecoder {
    private var buffer: [UInt8] = []
    private var position = 0

    mutating func append(_ bytes: [UInt8]) {
        if position > 0 {
            buffer.removeFirst(position)
            position = 0
        }
        buffer += bytes
    }

    /// The next frame, or nil when more bytes are needed. After an error the stream cannot be read any further.
    mutating func next() throws(FrameError) -> RadioFrame? {
        guard buffer.count - position >= 2 else { return nil }
        let length = Int(UInt16(littleEndian: buffer, at: position))
        guard (1...RadioFrame.maximumLength).contains(length) else { throw .length(length) }
        guard buffer.count - position >= 2 + length else { return nil }
        let start = position + 2
        position = start + length
        return try RadioFrame(kind: buffer[start], content: buffer[(start + 1)..<(start + length)])
    }
}

extension UInt16 {
    var littleEndianBytes: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)] }

    /// Reads two bytes; the caller has checked that they are there.
    init(littleEndian bytes: [UInt8], at index: Int) {
        self = UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
    }
}
