import Foundation

/// Why bytes are no ATT packet.
enum ATTPacketError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No packet at all.
    case empty
    /// An operation this side does not know.
    case opcode(UInt8)
    /// Content of a length that the operation does not allow.
    case length(opcode: UInt8, bytes: Int)

    var description: String {
        switch self {
        case .empty: "an empty ATT packet"
        case .opcode(let opcode): "an ATT packet with unknown opcode \(opcode)"
        case .length(let opcode, let count): "an ATT packet with opcode \(opcode) and \(count) bytes"
        }
    }
}

/// The packets of the Attribute Protocol that GATT uses. (Core Specification, volume 3, part F, 3.4.)
///
/// The MTU is agreed when a software radio connects, so its exchange is not among them.
enum ATTPacket: Equatable, Sendable {
    /// One line of a Find Information Response.
    struct Information: Equatable, Sendable {
        var handle: UInt16
        var uuid: CBUUID
    }

    /// One line of a Read By Type Response.
    struct Attribute: Equatable, Sendable {
        var handle: UInt16
        var value: Data
    }

    /// One line of a Read By Group Type Response.
    struct Group: Equatable, Sendable {
        var first: UInt16
        var last: UInt16
        var value: Data
    }

    case error(request: UInt8, handle: UInt16, code: UInt8)
    case findInformationRequest(first: UInt16, last: UInt16)
    case findInformationResponse([Information])
    case readByTypeRequest(first: UInt16, last: UInt16, type: CBUUID)
    case readByTypeResponse([Attribute])
    case readRequest(handle: UInt16)
    case readResponse(Data)
    case readBlobRequest(handle: UInt16, offset: UInt16)
    case readBlobResponse(Data)
    case readByGroupTypeRequest(first: UInt16, last: UInt16, type: CBUUID)
    case readByGroupTypeResponse([Group])
    case writeRequest(handle: UInt16, value: Data)
    case writeResponse
    case writeCommand(handle: UInt16, value: Data)
    case prepareWriteRequest(handle: UInt16, offset: UInt16, value: Data)
    case prepareWriteResponse(handle: UInt16, offset: UInt16, value: Data)
    case executeWriteRequest(commit: Bool)
    case executeWriteResponse
    case notification(handle: UInt16, value: Data)
    case indication(handle: UInt16, value: Data)
    case confirmation

    /// The packet's first byte.
    var opcode: UInt8 {
        switch self {
        case .error: 0x01
        case .findInformationRequest: 0x04
        case .findInformationResponse: 0x05
        case .readByTypeRequest: 0x08
        case .readByTypeResponse: 0x09
        case .readRequest: 0x0A
        case .readResponse: 0x0B
        case .readBlobRequest: 0x0C
        case .readBlobResponse: 0x0D
        case .readByGroupTypeRequest: 0x10
        case .readByGroupTypeResponse: 0x11
        case .writeRequest: 0x12
        case .writeResponse: 0x13
        case .writeCommand: 0x52
        case .prepareWriteRequest: 0x16
        case .prepareWriteResponse: 0x17
        case .executeWriteRequest: 0x18
        case .executeWriteResponse: 0x19
        case .notification: 0x1B
        case .indication: 0x1D
        case .confirmation: 0x1E
        }
    }

    /// Whether the packet answers a request.
    var isResponse: Bool {
        switch self {
        case .error, .findInformationResponse, .readByTypeResponse, .readResponse, .readBlobResponse,
            .readByGroupTypeResponse, .writeResponse, .prepareWriteResponse, .executeWriteResponse:
            true
        default: false
        }
    }

    /// The bytes on the air.
    var encoded: Data {
        Data([opcode] + content)
    }

    private var content: [UInt8] {
        switch self {
        case .error(let request, let handle, let code): [request] + handle.littleEndianBytes + [code]
        case .findInformationRequest(let first, let last): first.littleEndianBytes + last.littleEndianBytes
        case .findInformationResponse(let lines):
            [lines.first?.uuid.attBytes.count == 2 ? 1 : 2]
                + lines.flatMap { $0.handle.littleEndianBytes + $0.uuid.attBytes }
        case .readByTypeRequest(let first, let last, let type), .readByGroupTypeRequest(let first, let last, let type):
            first.littleEndianBytes + last.littleEndianBytes + type.attBytes
        case .readByTypeResponse(let lines):
            [UInt8(2 + (lines.first?.value.count ?? 0))] + lines.flatMap { $0.handle.littleEndianBytes + $0.value }
        case .readByGroupTypeResponse(let groups):
            [UInt8(4 + (groups.first?.value.count ?? 0))]
                + groups.flatMap { $0.first.littleEndianBytes + $0.last.littleEndianBytes + $0.value }
        case .readRequest(let handle): handle.littleEndianBytes
        case .readResponse(let value), .readBlobResponse(let value): [UInt8](value)
        case .readBlobRequest(let handle, let offset): handle.littleEndianBytes + offset.littleEndianBytes
        case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
            .notification(let handle, let value), .indication(let handle, let value):
            handle.littleEndianBytes + value
        case .prepareWriteRequest(let handle, let offset, let value),
            .prepareWriteResponse(let handle, let offset, let value):
            handle.littleEndianBytes + offset.littleEndianBytes + value
        case .executeWriteRequest(let commit): [commit ? 1 : 0]
        case .writeResponse, .executeWriteResponse, .confirmation: []
        }
    }

    /// Reads a packet from another process.
    init(_ data: Data) throws(ATTPacketError) {
        guard let opcode = data.first else { throw .empty }
        let bytes = [UInt8](data.dropFirst())
        func expect(_ condition: Bool) throws(ATTPacketError) {
            guard condition else { throw .length(opcode: opcode, bytes: bytes.count) }
        }
        func number(at index: Int) -> UInt16 { UInt16(littleEndian: bytes, at: index) }
        func lines(of width: Int, from start: Int) throws(ATTPacketError) -> [Int] {
            try expect(bytes.count > start && (bytes.count - start) % width == 0)
            return Array(stride(from: start, to: bytes.count, by: width))
        }
        switch opcode {
        case 0x01:
            try expect(bytes.count == 4)
            self = .error(request: bytes[0], handle: number(at: 1), code: bytes[3])
        case 0x04:
            try expect(bytes.count == 4)
            self = .findInformationRequest(first: number(at: 0), last: number(at: 2))
        case 0x05:
            try expect(bytes.first == 1 || bytes.first == 2)
            let width = bytes[0] == 1 ? 2 : 16
            var information: [Information] = []
            for start in try lines(of: 2 + width, from: 1) {
                guard let uuid = CBUUID(littleEndian: bytes[(start + 2)..<(start + 2 + width)]) else {
                    throw .length(opcode: opcode, bytes: bytes.count)
                }
                information.append(Information(handle: number(at: start), uuid: uuid))
            }
            self = .findInformationResponse(information)
        case 0x08, 0x10:
            try expect(bytes.count == 6 || bytes.count == 20)
            guard let type = CBUUID(littleEndian: bytes[4...]) else {
                throw .length(opcode: opcode, bytes: bytes.count)
            }
            self =
                opcode == 0x08
                ? .readByTypeRequest(first: number(at: 0), last: number(at: 2), type: type)
                : .readByGroupTypeRequest(first: number(at: 0), last: number(at: 2), type: type)
        case 0x09:
            try expect((bytes.first ?? 0) >= 2)
            let width = Int(bytes[0])
            self = .readByTypeResponse(
                try lines(of: width, from: 1).map {
                    Attribute(handle: number(at: $0), value: Data(bytes[($0 + 2)..<($0 + width)]))
                })
        case 0x11:
            try expect((bytes.first ?? 0) >= 4)
            let width = Int(bytes[0])
            self = .readByGroupTypeResponse(
                try lines(of: width, from: 1).map {
                    Group(
                        first: number(at: $0), last: number(at: $0 + 2), value: Data(bytes[($0 + 4)..<($0 + width)]))
                })
        case 0x0A:
            try expect(bytes.count == 2)
            self = .readRequest(handle: number(at: 0))
        case 0x0B: self = .readResponse(Data(bytes))
        case 0x0C:
            try expect(bytes.count == 4)
            self = .readBlobRequest(handle: number(at: 0), offset: number(at: 2))
        case 0x0D: self = .readBlobResponse(Data(bytes))
        case 0x12, 0x52, 0x1B, 0x1D:
            try expect(bytes.count >= 2)
            let handle = number(at: 0)
            let value = Data(bytes[2...])
            switch opcode {
            case 0x12: self = .writeRequest(handle: handle, value: value)
            case 0x52: self = .writeCommand(handle: handle, value: value)
            case 0x1B: self = .notification(handle: handle, value: value)
            default: self = .indication(handle: handle, value: value)
            }
        case 0x16, 0x17:
            try expect(bytes.count >= 4)
            let value = Data(bytes[4...])
            self =
                opcode == 0x16
                ? .prepareWriteRequest(handle: number(at: 0), offset: number(at: 2), value: value)
                : .prepareWriteResponse(handle: number(at: 0), offset: number(at: 2), value: value)
        case 0x18:
            try expect(bytes.count == 1 && bytes[0] <= 1)
            self = .executeWriteRequest(commit: bytes[0] == 1)
        case 0x13, 0x19, 0x1E:
            try expect(bytes.isEmpty)
            self = opcode == 0x13 ? .writeResponse : opcode == 0x19 ? .executeWriteResponse : .confirmation
        default: throw .opcode(opcode)
        }
    }
}
