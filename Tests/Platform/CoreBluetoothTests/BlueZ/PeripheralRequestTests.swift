import DBus
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite("BlueZ peripheral: requests", .timeLimit(.minutes(1)))
struct PeripheralRequestTests {
    private typealias Refusal = FakeGATTServer.Refusal

    @Test("reads say who asks, with which MTU, and from where", arguments: [0, 1, 99, 512])
    func reads(offset: Int) async throws {
        let probe = try await PeripheralRadioProbe.published()
        let central = FakeRemoteCentral(number: 1, mtu: 185)
        async let answer = probe.server.call(
            Sample.uuid(2), "ReadValue", [.properties(central.options(offset: offset))])
        let read = try await probe.nextRead()
        #expect(read.central == RemoteCentral(address: central.radioAddress, mtu: 185))
        #expect(read.attribute == Sample.value)
        #expect(read.offset == offset)
        let value = Data(repeating: 7, count: 512 - offset)
        probe.respond(read.ticket, .success(value))
        #expect(try await answer == [.bytes(value)])
    }

    @Test("descriptors are read like characteristics")
    func descriptors() async throws {
        let probe = try await PeripheralRadioProbe.published()
        let central = FakeRemoteCentral(number: 1)
        async let answer = probe.server.call(CBUUID(string: "2901"), "ReadValue", [.properties(central.options)])
        let read = try await probe.nextRead()
        #expect(read.attribute == Sample.description)
        probe.respond(read.ticket, .success(Data("a value".utf8)))
        #expect(try await answer == [.bytes(Data("a value".utf8))])
    }

    @Test("a write is one piece with its offset, and its answer is the application's", arguments: [0, 20])
    func writes(offset: Int) async throws {
        let probe = try await PeripheralRadioProbe.published()
        let central = FakeRemoteCentral(number: 1)
        async let answer = probe.server.call(
            Sample.uuid(2), "WriteValue",
            [.bytes(Data([1, 2, 3])), .properties(central.options(offset: offset))])
        let write = try await probe.nextWrite()
        #expect(write.central.address == central.radioAddress)
        #expect(write.pieces == [WritePiece(attribute: Sample.value, offset: offset, value: Data([1, 2, 3]))])
        probe.respond(try #require(write.ticket), .success(Data()))
        #expect(try await answer.isEmpty)
    }

    @Test("a write that nobody waits for has no ticket")
    func commands() async throws {
        let probe = try await PeripheralRadioProbe.published()
        let central = FakeRemoteCentral(number: 1)
        probe.server.send(Sample.uuid(2), "WriteValue", [.bytes(Data()), .properties(central.options)])
        let write = try await probe.nextWrite()
        #expect(write.ticket == nil)
        #expect(write.pieces == [WritePiece(attribute: Sample.value, offset: 0, value: Data())])
    }

    @Test(
        "ATT errors get the names and texts that the daemon turns into them again",
        arguments: [
            (0x02, "org.bluez.Error.NotPermitted", nil), (0x03, "org.bluez.Error.NotPermitted", nil),
            (0x06, "org.bluez.Error.NotSupported", nil), (0x07, "org.bluez.Error.InvalidOffset", nil),
            (0x08, "org.bluez.Error.NotAuthorized", nil), (0x0D, "org.bluez.Error.InvalidValueLength", nil),
            (0x0E, "org.freedesktop.DBus.Error.Failed", nil), (0x11, "org.freedesktop.DBus.Error.Failed", nil),
            (0x80, "org.bluez.Error.Failed", "0x80"), (0x9F, "org.bluez.Error.Failed", "0x9f"),
            (0xFE, "org.bluez.Error.InProgress", nil),
        ] as [(Int, String, String?)])
    func errors(code: Int, name: String, text: String?) async throws {
        let probe = try await PeripheralRadioProbe.published()
        let central = FakeRemoteCentral(number: 1)
        let failure = RadioResult<Data>.failure(.att(try #require(CBATTError.Code(rawValue: code))))
        for member in ["ReadValue", "WriteValue"] {
            let arguments: [BusValue] = (member == "WriteValue" ? [.bytes(Data([1]))] : [])
            async let answer = refusal {
                try await probe.server.call(
                    Sample.uuid(2), member, arguments + [.properties(central.options)])
            }
            let ticket =
                member == "ReadValue"
                ? try await probe.nextRead().ticket : try #require(try await probe.nextWrite().ticket)
            probe.respond(ticket, failure)
            let refusal = try await answer
            #expect(refusal.name == name)
            if let text { #expect(refusal.message == text) }
        }
    }

    @Test("what the permissions forbid is refused without asking", arguments: ["ReadValue", "WriteValue"])
    func forbidden(member: String) async throws {
        let probe = try await PeripheralRadioProbe.published()
        let options = BusValue.properties(FakeRemoteCentral(number: 1).options)
        let refusal = try await refusal {
            try await probe.server.call(
                Sample.uuid(6), member, member == "WriteValue" ? [.bytes(Data([1])), options] : [options])
        }
        #expect(refusal.name == "org.bluez.Error.NotPermitted")
    }

    @Test("the check of a prepared write is confirmed; the write itself comes later, as a whole")
    func preparation() async throws {
        let probe = try await PeripheralRadioProbe.published()
        let central = FakeRemoteCentral(number: 1)
        let check = central.options(offset: 18, ["prepare-authorize": true])
        _ = try await probe.server.call(
            Sample.uuid(2), "WriteValue", [.bytes(Data(count: 18)), .properties(check)])
        async let answer = probe.server.call(
            Sample.uuid(2), "WriteValue", [.bytes(Data(repeating: 4, count: 36)), .properties(central.options)])
        let write = try await probe.nextWrite()
        #expect(write.pieces.map(\.value.count) == [36])
        probe.respond(try #require(write.ticket), .success(Data()))
        _ = try await answer
    }

    @Test("requests that are not what the daemon sends are refused, and hurt nobody")
    func malformed() async throws {
        let probe = try await PeripheralRadioProbe.published()
        let central = FakeRemoteCentral(number: 1)
        let calls: [(String, [BusValue])] = [
            ("ReadValue", []), ("ReadValue", [.properties([:])]), ("ReadValue", [.string("device")]),
            ("ReadValue", [.properties(["device": "elsewhere"])]),
            ("ReadValue", [.properties(["device": .path("/org/bluez/hci7/dev_C0_00_00_00_00_01")])]),
            ("ReadValue", [.properties(["device": .path(FakeGATTServer.adapterPath + "/dev_C0_00_00_00_00_0G")])]),
            ("ReadValue", [.properties(central.options(offset: 0, ["offset": .int32(-1)]))]),
            ("ReadValue", [.properties(central.options(offset: 0, ["offset": .uint64(.max)]))]),
            ("ReadValue", [.properties(central.options(offset: 0, ["offset": "ten"]))]),
            ("ReadValue", [.properties(central.options(offset: 513))]),
            ("WriteValue", []), ("WriteValue", [.bytes(Data())]), ("WriteValue", [.string("x"), .properties([:])]),
            ("WriteValue", [.properties(central.options)]), ("AcquireNotify", []), ("AcquireWrite", []), ("Grow", []),
        ]
        for (member, arguments) in calls {
            _ = try await refusal { try await probe.server.call(Sample.uuid(2), member, arguments) }
        }
        // An MTU that cannot be is not believed.
        let small = central.options(offset: 0, ["mtu": .uint16(3)])
        async let answer = probe.server.call(Sample.uuid(2), "ReadValue", [.properties(small)])
        let read = try await probe.nextRead()
        #expect(read.central.mtu == 23)
        probe.respond(read.ticket, .success(Data()))
        _ = try await answer
        #expect(!probe.happenings.remaining.contains { if case .event(.read) = $0 { true } else { false } })
    }

    @Test("only the daemon may call: others on the bus are refused")
    func strangers() async throws {
        let probe = try await PeripheralRadioProbe.published()
        let object = try #require(probe.server.objects(of: BlueZ.gattCharacteristic).first)
        let options = BusValue.properties(FakeRemoteCentral(number: 1).options)
        await #expect {
            try await probe.daemon.ask(object.owner, object.path, object.interface, "ReadValue", [options])
        } throws: { error in
            (error as? BusError)?.name == "org.freedesktop.DBus.Error.AccessDenied"
        }
    }

    @Test("an answer after the central has gone, or a second one, does nothing")
    func lateAnswers() async throws {
        let probe = try await PeripheralRadioProbe.published()
        let central = FakeRemoteCentral(number: 1)
        probe.server.connect(central)
        async let answer = refusal {
            try await probe.server.call(Sample.uuid(2), "ReadValue", [.properties(central.options)])
        }
        let read = try await probe.nextRead()
        probe.server.disconnect(central)
        try await probe.event("the disconnection") { event in
            if case .disconnected(read.central) = event { () } else { nil }
        }
        #expect(try await answer.name == "org.freedesktop.DBus.Error.NoReply")
        probe.respond(read.ticket, .success(Data()))
        probe.respond(read.ticket, .success(Data()))
        try await probe.settle()
    }

    @Test("a request that is never answered holds up nobody else")
    func unanswered() async throws {
        let probe = try await PeripheralRadioProbe.published()
        let options = BusValue.properties(FakeRemoteCentral(number: 1).options)
        async let answer = refusal { try await probe.server.call(Sample.uuid(2), "ReadValue", [options]) }
        _ = try await probe.nextRead()
        try await probe.settle()
        probe.shutdown()
        #expect(try await answer.name.hasSuffix("NoReply"))
    }

    private func refusal(_ body: () async throws -> [BusValue]) async throws -> Refusal {
        do {
            let values = try await body()
            Issue.record("the call should have been refused, but was answered with \(values)")
            return Refusal(name: "none")
        } catch let refusal as Refusal {
            return refusal
        }
    }
}
