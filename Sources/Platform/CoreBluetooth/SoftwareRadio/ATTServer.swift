import Foundation

/// The answering side of an ATT bearer, for one central.
///
/// A value that takes packets and gives back what to do, so that it can be tested without a radio. Structure and
/// subscriptions are answered here; values are asked for.
struct ATTServer: Sendable {
    /// What to do about a packet.
    enum Action: Equatable, Sendable {
        case send(ATTPacket)
        /// Ask for a value; answer with ``answer(_:)``.
        case read(AttributeID, offset: Int)
        /// Hand on a write; answer with ``answer(_:)`` if `needsAnswer`.
        case write([WritePiece], needsAnswer: Bool)
        case subscribed(AttributeID)
        case unsubscribed(AttributeID)
        /// The central confirmed the indication.
        case confirmed
        /// A command was taken: acknowledge it.
        case acknowledge
        /// The central breaks the protocol: hang up.
        case hangUp(String)
    }

    /// How a subscription wants its values.
    enum Subscription: Sendable {
        case notifications
        case indications
    }

    /// Prepared writes that are kept for one central.
    static let preparedLimit = 256

    let mtu: Int
    private(set) var subscriptions: [AttributeID: Subscription] = [:]
    private var pending: ATTPacket?
    private var prepared: [(handle: UInt16, piece: WritePiece)] = []

    init(mtu: Int) { self.mtu = mtu }

    /// Whether a request waits for ``answer(_:)``.
    var isPending: Bool { pending != nil }

    /// Takes a packet of the central.
    mutating func receive(_ packet: ATTPacket, in table: AttributeTable) -> [Action] {
        switch packet {
        case .confirmation: return [.confirmed]
        case .writeCommand(let handle, let value): return command(handle, value, table)
        case _ where pending != nil: return [.hangUp("a second request before the first was answered")]
        case .findInformationRequest(let first, let last): return [.send(information(first, last, packet, table))]
        case .readByTypeRequest(let first, let last, let type):
            return [.send(attributes(first, last, type, packet, table))]
        case .readByGroupTypeRequest(let first, let last, let type):
            return [.send(groups(first, last, type, packet, table))]
        case .readRequest(let handle): return read(handle, 0, packet, table)
        case .readBlobRequest(let handle, let offset): return read(handle, Int(offset), packet, table)
        case .writeRequest(let handle, let value): return write(handle, value, packet, table)
        case .prepareWriteRequest(let handle, let offset, let value):
            return [.send(prepare(handle, offset, value, packet, table))]
        case .executeWriteRequest(let commit): return execute(commit, packet)
        default: return [.hangUp("an answer to a question that was not asked (opcode \(packet.opcode))")]
        }
    }

    /// Answers the pending request.
    mutating func answer(_ result: RadioResult<Data>) -> ATTPacket? {
        guard let request = pending else { return nil }
        pending = nil
        switch (result, request) {
        case (.success(let value), .readRequest): return .readResponse(value.prefix(mtu - 1))
        case (.success(let value), .readBlobRequest): return .readBlobResponse(value.prefix(mtu - 1))
        case (.success, .writeRequest): return .writeResponse
        case (.success, _): return .executeWriteResponse
        case (.failure(.att(let code)), _): return refusal(request, code)
        case (.failure(.radio), _): return refusal(request, .unlikelyError)
        }
    }

    /// Forgets subscriptions to characteristics that are gone.
    mutating func forget(_ characteristics: Set<AttributeID>) -> [AttributeID] {
        let gone = subscriptions.keys.filter(characteristics.contains)
        for characteristic in gone { subscriptions[characteristic] = nil }
        return gone
    }

    // MARK: Structure

    private func refusal(_ request: ATTPacket, _ code: CBATTError.Code) -> ATTPacket {
        let handle: UInt16 =
            switch request {
            case .findInformationRequest(let first, _), .readByTypeRequest(let first, _, _),
                .readByGroupTypeRequest(let first, _, _):
                first
            case .readRequest(let handle), .readBlobRequest(let handle, _), .writeRequest(let handle, _),
                .prepareWriteRequest(let handle, _, _):
                handle
            default: 0
            }
        return .error(request: request.opcode, handle: handle, code: UInt8(code.rawValue))
    }

    private func range(_ first: UInt16, _ last: UInt16) -> ClosedRange<UInt16>? {
        first > 0 && first <= last ? first...last : nil
    }

    private func information(
        _ first: UInt16, _ last: UInt16, _ request: ATTPacket, _ table: AttributeTable
    ) -> ATTPacket {
        guard let range = range(first, last) else { return refusal(request, .invalidHandle) }
        let entries = table.entries(in: range)
        guard let width = entries.first?.type.attBytes.count else { return refusal(request, .attributeNotFound) }
        let lines = entries.prefix { $0.type.attBytes.count == width }.prefix((mtu - 2) / (2 + width))
        return .findInformationResponse(lines.map { .init(handle: $0.handle, uuid: $0.type) })
    }

    private func attributes(
        _ first: UInt16, _ last: UInt16, _ type: CBUUID, _ request: ATTPacket, _ table: AttributeTable
    ) -> ATTPacket {
        guard let range = range(first, last) else { return refusal(request, .invalidHandle) }
        let found = table.entries(in: range).filter { $0.type == type }
        guard let head = found.first else { return refusal(request, .attributeNotFound) }
        guard case .fixed(let model) = head.content else {
            // Values of the application are read by their handles.
            return refusal(request, .readNotPermitted)
        }
        var lines: [ATTPacket.Attribute] = []
        for entry in found.prefix((mtu - 2) / (2 + model.count)) {
            guard case .fixed(let value) = entry.content, value.count == model.count else { break }
            lines.append(.init(handle: entry.handle, value: value))
        }
        return lines.isEmpty ? refusal(request, .insufficientResources) : .readByTypeResponse(lines)
    }

    private func groups(
        _ first: UInt16, _ last: UInt16, _ type: CBUUID, _ request: ATTPacket, _ table: AttributeTable
    ) -> ATTPacket {
        guard let range = range(first, last) else { return refusal(request, .invalidHandle) }
        guard type == GATTType.primaryService || type == GATTType.secondaryService else {
            return refusal(request, .unsupportedGroupType)
        }
        var groups: [ATTPacket.Group] = []
        for entry in table.entries(in: range) where entry.type == type {
            guard case .fixed(let value) = entry.content, let end = entry.groupEnd else { continue }
            let width = groups.first?.value.count ?? value.count
            guard value.count == width, groups.count < max((mtu - 2) / (4 + width), 1) else { break }
            groups.append(.init(first: entry.handle, last: end, value: value))
        }
        return groups.isEmpty ? refusal(request, .attributeNotFound) : .readByGroupTypeResponse(groups)
    }

    // MARK: Values

    private mutating func read(
        _ handle: UInt16, _ offset: Int, _ request: ATTPacket, _ table: AttributeTable
    ) -> [Action] {
        func whole(_ value: Data) -> [Action] {
            guard offset <= value.count else { return [.send(refusal(request, .invalidOffset))] }
            pending = request
            return answer(.success(value.dropFirst(offset))).map { [.send($0)] } ?? []
        }
        switch table[handle]?.content {
        case nil: return [.send(refusal(request, .invalidHandle))]
        case .fixed(let value): return whole(value)
        case .subscription(let characteristic, _):
            let bits: UInt8 =
                switch subscriptions[characteristic] {
                case nil: 0
                case .notifications: 1
                case .indications: 2
                }
            return whole(Data([bits, 0]))
        case .value(let id, let permissions, _):
            guard permissions.allowsReading else { return [.send(refusal(request, .readNotPermitted))] }
            pending = request
            return [.read(id, offset: offset)]
        case .descriptor(let id):
            pending = request
            return [.read(id, offset: offset)]
        }
    }

    private mutating func write(
        _ handle: UInt16, _ value: Data, _ request: ATTPacket, _ table: AttributeTable
    ) -> [Action] {
        switch table[handle]?.content {
        case nil: return [.send(refusal(request, .invalidHandle))]
        case .fixed, .descriptor: return [.send(refusal(request, .writeNotPermitted))]
        case .subscription(let characteristic, let properties):
            return subscribe(characteristic, properties, value, request)
        case .value(let id, let permissions, _):
            guard permissions.allowsWriting else { return [.send(refusal(request, .writeNotPermitted))] }
            pending = request
            return [.write([WritePiece(attribute: id, offset: 0, value: value)], needsAnswer: true)]
        }
    }

    private func command(_ handle: UInt16, _ value: Data, _ table: AttributeTable) -> [Action] {
        // A command that is not allowed is dropped without a word. (Volume 3, part F, 3.4.5.3.)
        guard case .value(let id, let permissions, _)? = table[handle]?.content, permissions.allowsWriting else {
            return [.acknowledge]
        }
        return [.write([WritePiece(attribute: id, offset: 0, value: value)], needsAnswer: false), .acknowledge]
    }

    private mutating func subscribe(
        _ characteristic: AttributeID, _ properties: CBCharacteristicProperties, _ value: Data, _ request: ATTPacket
    ) -> [Action] {
        guard value.count == 2 else { return [.send(refusal(request, .invalidAttributeValueLength))] }
        let canNotify = !properties.isDisjoint(with: [.notify, .notifyEncryptionRequired])
        let canIndicate = !properties.isDisjoint(with: [.indicate, .indicateEncryptionRequired])
        let wanted: Subscription?
        switch value[value.startIndex] & 3 {
        case 0: wanted = nil
        case 1 where canNotify, 3 where canNotify: wanted = .notifications
        case 2 where canIndicate, 3 where canIndicate: wanted = .indications
        // 'Client characteristic configuration descriptor improperly configured'.
        default: return [.send(refusal(request, CBATTError.Code(0xFD)))]
        }
        let before = subscriptions.updateValue(wanted, forKey: characteristic)
        switch (before, wanted) {
        case (nil, .some): return [.send(.writeResponse), .subscribed(characteristic)]
        case (.some, nil): return [.send(.writeResponse), .unsubscribed(characteristic)]
        default: return [.send(.writeResponse)]
        }
    }

    private mutating func prepare(
        _ handle: UInt16, _ offset: UInt16, _ value: Data, _ request: ATTPacket, _ table: AttributeTable
    ) -> ATTPacket {
        guard let entry = table[handle] else { return refusal(request, .invalidHandle) }
        guard case .value(let id, let permissions, _) = entry.content, permissions.allowsWriting else {
            return refusal(request, .writeNotPermitted)
        }
        guard prepared.count < Self.preparedLimit else { return refusal(request, .prepareQueueFull) }
        prepared.append((handle, WritePiece(attribute: id, offset: Int(offset), value: value)))
        return .prepareWriteResponse(handle: handle, offset: offset, value: value)
    }

    private mutating func execute(_ commit: Bool, _ request: ATTPacket) -> [Action] {
        let pieces = Self.joined(prepared.map(\.piece))
        prepared = []
        guard commit, !pieces.isEmpty else { return [.send(.executeWriteResponse)] }
        if pieces.contains(where: { $0.offset + $0.value.count > ATTLimit.valueBytes }) {
            return [.send(refusal(request, .invalidAttributeValueLength))]
        }
        pending = request
        return [.write(pieces, needsAnswer: true)]
    }

    /// Puts pieces that follow each other together.
    private static func joined(_ pieces: [WritePiece]) -> [WritePiece] {
        var result: [WritePiece] = []
        for piece in pieces {
            if let last = result.last, last.attribute == piece.attribute,
                last.offset + last.value.count == piece.offset
            {
                result[result.count - 1].value += piece.value
            } else {
                result.append(piece)
            }
        }
        return result
    }
}

extension [AttributeID: ATTServer.Subscription] {
    /// Sets or removes.
    /// - Returns: What was there.
    fileprivate mutating func updateValue(_ value: Value?, forKey key: Key) -> Value? {
        let before = self[key]
        self[key] = value
        return before
    }
}
