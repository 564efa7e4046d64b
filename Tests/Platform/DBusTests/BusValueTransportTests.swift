import DBus
import Foundation
import TestSupport
import Testing

@Suite("Values over a real bus")
struct BusValueTransportTests {
    static let samples: [[BusValue]] = [
        [],
        [.byte(0), .byte(255)],
        [.bool(true), .bool(false)],
        [.int16(.min), .uint16(.max), .int32(.min), .uint32(.max), .int64(.min), .uint64(.max)],
        [.double(-0.1), .double(.infinity), .double(.leastNonzeroMagnitude)],
        ["", "Grüße 👋", .string(String(repeating: "x", count: 100_000))],
        [.path("/"), .path("/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF"), .signature(""), .signature("a{oa{sa{sv}}}")],
        [.bytes(Data()), .bytes(Data([1])), .bytes(Data((0..<5000).map { UInt8(truncatingIfNeeded: $0) }))],
        [.array(of: "ay", []), .array(of: "ay", [.bytes(Data()), .bytes(Data([1, 2, 3]))])],
        [.strings([]), .strings(["a", "b"]), .paths(["/a"])],
        [.properties([:]), .properties(["Value": .bytes(Data([7])), "Notifying": true, "MTU": .uint16(517)])],
        [.properties(["deep": .properties(["deeper": .properties(["deepest": .strings(["x"])])])])],
        [.variant(.variant(.variant("x"))), .variant(.structure([1, "two"]))],
        [.properties(["variant in variant": .variant(1)])],
        [.structure([.byte(1), .structure(["x", .array(of: "u", [.uint32(3)])])])],
        [.array(of: "(sb)", [.structure(["a", true]), .structure(["b", false])])],
        [.dictionary(key: "q", value: "v", [BusEntry(.uint16(0x004C), .variant(.bytes(Data([2, 21]))))])],
        [.dictionary(key: "o", value: "a{sa{sv}}", [])],
        [
            .dictionary(
                key: "o", value: "a{sa{sv}}",
                [
                    BusEntry(
                        .path("/org/bluez/hci0"),
                        .dictionary(
                            key: "s", value: "a{sv}",
                            [
                                BusEntry(
                                    "org.bluez.Adapter1", .properties(["Powered": true, "UUIDs": .strings(["180f"])])),
                                BusEntry("org.bluez.GattManager1", .properties([:])),
                            ])),
                    BusEntry(.path("/org/bluez"), .dictionary(key: "s", value: "a{sv}", [])),
                ])
        ],
        [.array(of: "a{sv}", [.properties(["a": 1]), .properties([:])]), .byte(9)],
        [.array(of: "v", [.variant(1), .variant("x")]), .array(of: "ai", [.array(of: "i", [1, 2])])],
    ]

    @Test("come back as they went", arguments: samples.indices)
    func roundTrip(_ sample: Int) async throws {
        let values = Self.samples[sample]
        let bus = try PrivateBus()
        let server = try BusPeer(bus)
        let client = try BusPeer(bus)
        let echo = try await server.echo()
        #expect(try await client.call(server.connection.uniqueName, "/", "test.Echo", "Echo", values) == values)
        withExtendedLifetime(echo) {}
    }
}
