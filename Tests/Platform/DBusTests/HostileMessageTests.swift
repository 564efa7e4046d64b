import CSystemd
import Foundation
import TestSupport
import Testing

@testable import DBus

@Suite("Messages that mean harm")
struct HostileMessageTests {
    /// Reads a message that was built without any of this module's own limits.
    private func read(_ build: (OpaquePointer) -> Void) throws -> Result<[BusValue], MessageReader.Fault> {
        let bus = try PrivateBus()
        let handle = try BusHandle.open(.address(bus.address), within: .seconds(5))
        let message = try handle.methodCall("a.b", "/", "a.b", "M", [])
        defer { sd_bus_message_unref(message) }
        build(message)
        try #require(sd_bus_message_seal(message, 1, 0) >= 0)
        try #require(sd_bus_message_rewind(message, 1) >= 0)
        var reader = MessageReader(message, MessageTypes())
        return Result { () throws(MessageReader.Fault) in try reader.arguments() }
    }

    private func nest(_ message: OpaquePointer, variants depth: Int) {
        let variant = CChar(UInt8(ascii: "v"))
        for level in 1...depth { sd_bus_message_open_container(message, variant, level == depth ? "y" : "v") }
        var byte: UInt8 = 7
        sd_bus_message_append_basic(message, CChar(UInt8(ascii: "y")), &byte)
        for _ in 1...depth { sd_bus_message_close_container(message) }
    }

    @Test("variants may nest as deep as the specification says, and no deeper")
    func nesting() throws {
        let deepest = try read { nest($0, variants: 64) }
        guard case .success(let values) = deepest else { return #expect(Bool(false), "\(deepest)") }
        #expect(values[0].int == 7)
        guard case .failure(.tooDeep) = try read({ nest($0, variants: 65) }) else {
            return #expect(Bool(false), "65 levels were read")
        }
        guard case .failure(.tooDeep) = try read({ nest($0, variants: 120) }) else {
            return #expect(Bool(false), "120 levels were read")
        }
    }

    @Test("as deep goes through the bus, too, and deeper is not sent")
    func nestingOverTheBus() async throws {
        let bus = try PrivateBus()
        let server = try BusPeer(bus)
        let object = try await server.echo()
        func value(_ depth: Int) -> BusValue { (0..<depth).reduce(.byte(7)) { value, _ in .variant(value) } }
        #expect(try await server.call(server.name, "/", "test.Echo", "Echo", [value(64)]) == [value(64)])
        await #expect(throws: BusError.invalid("values that nest deeper than 64 levels")) {
            try await server.call(server.name, "/", "test.Echo", "Echo", [value(65)])
        }
        withExtendedLifetime(object) {}
    }

    @Test("a message of very many small values is refused, before it takes much memory")
    func many() async throws {
        let bus = try PrivateBus()
        let server = try BusPeer(bus)
        let client = try BusPeer(bus)
        let object = try await server.serve { call in call.reply([.array(of: "i", Array(repeating: 1, count: 300_000))])
        }
        let numbers = BusValue.array(of: "i", Array(repeating: 1, count: 300_000))
        let refused = await #expect(throws: BusError.self) {
            try await client.call(server.name, "/", "test.Echo", "Echo", [numbers])
        }
        #expect(refused?.name == "org.freedesktop.DBus.Error.InvalidArgs")
        let answered = await #expect(throws: BusError.self) { try await client.call(server.name) }
        guard case .unexpectedReply(let text) = answered else {
            return #expect(Bool(false), "\(String(describing: answered))")
        }
        #expect(text.contains("262144 values"))
        // As a signal it is dropped, and the next one is heard.
        let heard = Record<String>()
        let signals = try await client.run { $0.observe(BusMatch(interface: "test.One")) { heard.add($0.member) } }
        try await client.sync()
        try await server.run { connection in
            try connection.emit("/", "test.One", "Many", [numbers])
            try connection.emit("/", "test.One", "Few", [1])
        }
        #expect(try await heard.first(1) == ["Few"])
        withExtendedLifetime((object, signals)) {}
    }

    @Test(
        "signatures are taken apart or refused",
        arguments: [
            ("", 0), ("s", 1), ("sa{sv}as", 3), ("a{oa{sa{sv}}}", 1), ("(i(sv)a(ii))y", 2), ("aaay", 1), ("v", 1),
            ("h", 1),
            ("a", nil), ("(", nil), (")", nil), ("()", nil), ("a{", nil), ("a{s}", nil), ("a{sv", nil), ("{sv}", nil),
            ("a{vs}", nil), ("a{ass}", nil), ("z", nil), ("é", nil), ("a{svs}", nil), ("(s", nil),
            (String(repeating: "a", count: 70) + "y", nil), (String(repeating: "(", count: 200), nil),
            (String(repeating: "y", count: 255), 255), (String(repeating: "y", count: 256), nil),
        ] as [(String, Int?)])
    func signatures(_ signature: String, _ count: Int?) {
        let types = MessageType.parse(signature)
        #expect(types?.count == count)
        if let types { #expect(types.map(\.signature).joined() == signature) }
    }

    @Test("signatures that others think up do not fill the memory")
    func manySignatures() throws {
        let types = MessageTypes()
        for number in 0..<5000 {
            let signature = String(number, radix: 4).map {
                String("syiu"[String.Index(utf16Offset: Int(String($0)) ?? 0, in: "syiu")])
            }
            #expect(types.types(of: signature.joined())?.count == signature.count)
        }
        #expect(types.count <= 256)
    }
}
