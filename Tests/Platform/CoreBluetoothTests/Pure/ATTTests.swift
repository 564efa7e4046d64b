import Basics
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("Attribute protocol")
struct ATTTests {
    static let long = CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    static let packets: [ATTPacket] = [
        .error(request: 0x0A, handle: 3, code: 0x81), .findInformationRequest(first: 1, last: 0xFFFF),
        .findInformationResponse([.init(handle: 3, uuid: GATTType.clientConfiguration)]),
        .findInformationResponse([.init(handle: 3, uuid: long), .init(handle: 4, uuid: long)]),
        .readByTypeRequest(first: 1, last: 9, type: GATTType.characteristic),
        .readByTypeRequest(first: 1, last: 9, type: long),
        .readByTypeResponse([.init(handle: 2, value: Data([1, 2, 3])), .init(handle: 4, value: Data([4, 5, 6]))]),
        .readRequest(handle: 7), .readResponse(Data()), .readResponse(Data(count: 516)),
        .readBlobRequest(handle: 7, offset: 22), .readBlobResponse(Data([9])),
        .readByGroupTypeRequest(first: 1, last: 0xFFFF, type: GATTType.primaryService),
        .readByGroupTypeResponse([.init(first: 1, last: 5, value: Data([0x0D, 0x18]))]),
        .writeRequest(handle: 3, value: Data([1])), .writeResponse, .writeCommand(handle: 3, value: Data()),
        .prepareWriteRequest(handle: 3, offset: 18, value: Data([1])),
        .prepareWriteResponse(handle: 3, offset: 18, value: Data([1])), .executeWriteRequest(commit: true),
        .executeWriteRequest(commit: false), .executeWriteResponse, .notification(handle: 3, value: Data([1])),
        .indication(handle: 3, value: Data([1])), .confirmation,
    ]

    @Test("what is encoded is decoded", arguments: packets)
    func roundTrip(_ packet: ATTPacket) throws { #expect(try ATTPacket(packet.encoded) == packet) }

    @Test("packets cut short are refused or another valid packet, never a trap", arguments: packets)
    func truncated(_ packet: ATTPacket) {
        for length in 0..<packet.encoded.count { _ = try? ATTPacket(packet.encoded.prefix(length)) }
        #expect(throws: ATTPacketError.empty) { try ATTPacket(Data()) }
    }

    @Test(
        "malformed packets are refused",
        arguments: [
            [0x01, 1], [0x04, 1, 0, 2], [0x05], [0x05, 3, 1, 0], [0x05, 1, 1, 0, 2], [0x05, 1], [0x08, 1, 0, 2, 0, 1],
            [0x09], [0x09, 1, 1], [0x09, 4, 1, 2, 3], [0x09, 4], [0x0A, 1], [0x0C, 1, 0, 1], [0x11, 3, 1, 2, 3],
            [0x11, 6, 1, 0, 2], [0x12, 1], [0x13, 0], [0x16, 1, 0, 0], [0x18], [0x18, 2], [0x18, 0, 0], [0x1E, 0],
        ] as [[UInt8]])
    func malformed(_ bytes: [UInt8]) {
        #expect(throws: ATTPacketError.length(opcode: bytes[0], bytes: bytes.count - 1)) { try ATTPacket(Data(bytes)) }
    }

    @Test("random packets never stop the reader nor the server")
    func random() throws {
        var table = AttributeTable()
        _ = try table.add(Self.service)
        var server = ATTServer(mtu: 23)
        var generator = SplitMix(seed: 3)
        let opcodes = Self.packets.map(\.opcode)
        for _ in 0..<20_000 {
            let bytes =
                [opcodes.randomElement(using: &generator) ?? 0]
                + (0..<Int.random(in: 0...8, using: &generator)).map { _ in UInt8.random(in: 0...12, using: &generator)
                }
            guard let packet = try? ATTPacket(Data(bytes)) else { continue }
            for case .send(let answer) in server.receive(packet, in: table) { #expect(answer.encoded.count <= 23) }
            if let answer = server.answer(.success(Data(count: 600))) { #expect(answer.encoded.count <= 23) }
        }
    }

    // MARK: Server

    static let service = LocalService(
        id: AttributeID(number: 1), uuid: CBUUID(string: "180D"), isPrimary: true,
        characteristics: [
            LocalCharacteristic(
                id: AttributeID(number: 2), uuid: CBUUID(string: "2A37"),
                properties: [.notify, .indicate, .read, .write],
                permissions: [.readable, .writeable],
                descriptors: [LocalDescriptor(id: AttributeID(number: 3), uuid: CBUUID(string: "2901"))]),
            LocalCharacteristic(
                id: AttributeID(number: 4), uuid: long, properties: .notify, permissions: .readable),
        ])

    private func server(mtu: Int = 23) throws -> (ATTServer, AttributeTable) {
        var table = AttributeTable()
        #expect(try table.add(Self.service) == 1...8)
        return (ATTServer(mtu: mtu), table)
    }

    @Test("the table is laid out as GATT demands, and handles are never used twice")
    func table() throws {
        var (_, table) = try server()
        #expect(
            table.entries.map(\.type.uuidString) == [
                "2800", "2803", "2A37", "2902", "2901", "2803", Self.long.uuidString, "2902",
            ])
        #expect(table.valueHandle(of: AttributeID(number: 4)) == 7)
        #expect(throws: RadioFailure.self) { try table.add(Self.service) }
        #expect(table.remove(AttributeID(number: 1))?.characteristics == [.init(number: 2), .init(number: 4)])
        #expect(table.remove(AttributeID(number: 1)) == nil)
        #expect(table.entries.isEmpty)
        #expect(try table.add(Self.service).lowerBound == 9)
        var huge = LocalService(id: AttributeID(number: 50), uuid: Self.long, isPrimary: true)
        huge.characteristics = Array(repeating: Self.service.characteristics[1], count: 22_000)
        #expect {
            try table.add(huge)
        } throws: { error in
            if case .radio(.outOfSpace, _)? = error as? RadioFailure { true } else { false }
        }
    }

    @Test("subscriptions are answered here, and refused where they make no sense")
    func subscriptions() throws {
        var (server, table) = try server()
        let id = AttributeID(number: 2)
        func write(_ handle: UInt16, _ bytes: [UInt8]) -> [ATTServer.Action] {
            server.receive(.writeRequest(handle: handle, value: Data(bytes)), in: table)
        }
        #expect(write(4, [1, 0]) == [.send(.writeResponse), .subscribed(id)])
        #expect(write(4, [2, 0]) == [.send(.writeResponse)])
        #expect(server.receive(.readRequest(handle: 4), in: table) == [.send(.readResponse(Data([2, 0])))])
        #expect(write(4, [0, 0]) == [.send(.writeResponse), .unsubscribed(id)])
        #expect(write(4, [0, 0]) == [.send(.writeResponse)])
        #expect(write(4, [1]) == [.send(.error(request: 0x12, handle: 4, code: 0x0D))])
        #expect(write(8, [2, 0]) == [.send(.error(request: 0x12, handle: 8, code: 0xFD))])
        #expect(write(1, [1]) == [.send(.error(request: 0x12, handle: 1, code: 0x03))])
        #expect(write(99, [1]) == [.send(.error(request: 0x12, handle: 99, code: 0x01))])
        #expect(write(8, [1, 0]) == [.send(.writeResponse), .subscribed(.init(number: 4))])
        #expect(server.forget([.init(number: 4)]) == [.init(number: 4)])
        #expect(server.forget([.init(number: 4)]).isEmpty)
    }

    @Test("prepared writes are joined, called off and limited")
    func prepared() throws {
        var (server, table) = try server()
        func prepare(_ offset: UInt16, _ bytes: [UInt8], handle: UInt16 = 3) -> [ATTServer.Action] {
            server.receive(.prepareWriteRequest(handle: handle, offset: offset, value: Data(bytes)), in: table)
        }
        _ = prepare(0, [1, 2])
        _ = prepare(2, [3])
        _ = prepare(9, [4])
        let id = AttributeID(number: 2)
        #expect(
            server.receive(.executeWriteRequest(commit: true), in: table) == [
                .write(
                    [
                        WritePiece(attribute: id, offset: 0, value: Data([1, 2, 3])),
                        WritePiece(attribute: id, offset: 9, value: Data([4])),
                    ], needsAnswer: true)
            ])
        #expect(server.isPending)
        #expect(server.answer(.success(Data())) == .executeWriteResponse)
        _ = prepare(0, [1])
        #expect(
            server.receive(.executeWriteRequest(commit: false), in: table) == [.send(.executeWriteResponse)])
        #expect(server.receive(.executeWriteRequest(commit: true), in: table) == [.send(.executeWriteResponse)])
        #expect(prepare(0, [1], handle: 7) == [.send(.error(request: 0x16, handle: 7, code: 0x03))])
        _ = prepare(600, [1])
        #expect(
            server.receive(.executeWriteRequest(commit: true), in: table) == [
                .send(.error(request: 0x18, handle: 0, code: 0x0D))
            ])
        for _ in 0..<ATTServer.preparedLimit { _ = prepare(0, [1]) }
        #expect(prepare(0, [1]) == [.send(.error(request: 0x16, handle: 3, code: 0x09))])
    }

    @Test("a central that breaks the protocol is hung up on")
    func protocolErrors() throws {
        var (server, table) = try server()
        #expect(server.receive(.readRequest(handle: 3), in: table) == [.read(.init(number: 2), offset: 0)])
        guard case .hangUp? = server.receive(.readRequest(handle: 3), in: table).first else {
            Issue.record("a second request should have ended it")
            return
        }
        #expect(server.answer(.failure(.att(.invalidOffset))) == .error(request: 0x0A, handle: 3, code: 7))
        #expect(server.answer(.success(Data())) == nil)
        guard case .hangUp? = server.receive(.readResponse(Data()), in: table).first else {
            Issue.record("an answer without question should have ended it")
            return
        }
    }

    // MARK: Client

    @Test("an unanswered request ends the bearer after 30 s, and everything that waits fails once")
    func timeout() async throws {
        let clock = ManualClock()
        let queue = DispatchQueue(label: "test.att")
        let air = SoftwareAir(
            queue: queue, address: RadioAddress(number: 1), directory: RadioDirectory(path: "/nowhere"),
            conditions: RadioConditions(), clock: RadioClock(clock), random: RadioRandom(SplitMix(seed: 1)))
        let events = Recorder<String>()
        let client = ATTClient(mtu: 23, air: air) {
            events.record("sent \($0.opcode)")
        } onTimeout: {
            events.record("timeout")
        }
        queue.async {
            client.read(3) { events.record("first \($0)") }
            client.read(4) { events.record("second \($0)") }
        }
        try await events.next("a request") { $0 == "sent 10" ? () : nil }
        await clock.sleepers()
        clock.advance(by: .seconds(29))
        queue.sync {}
        #expect(events.remaining.isEmpty)
        clock.advance(by: .seconds(1))
        try await events.next("the timeout") { $0 == "timeout" ? () : nil }
        queue.sync {
            client.fail(.radio(.connectionTimeout))
            client.fail(.radio(.connectionTimeout))
            client.read(5) { events.record("third \($0)") }
            #expect(!client.receive(.readResponse(Data())))
        }
        #expect(events.remaining.map { $0.prefix(5) } == ["first", "secon", "third"])
        #expect(events.remaining.allSatisfy { $0.contains("connectionTimeout") })
    }
}
