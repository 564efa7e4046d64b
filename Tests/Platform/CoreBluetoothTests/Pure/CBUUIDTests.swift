import CoreBluetooth
import Foundation
import Testing

@testable import struct CoreBluetooth.RadioAddress

@Suite("UUIDs and addresses")
struct CBUUIDTests {
    @Test(
        "equal whatever the width",
        arguments: [
            ("180D", "0000180D"), ("180D", "0000180D-0000-1000-8000-00805F9B34FB"),
            ("0000180d", "0000180d-0000-1000-8000-00805f9b34fb"),
            ("12345678", "12345678-0000-1000-8000-00805F9B34FB"),
        ])
    func equality(short: String, long: String) {
        let (left, right) = (CBUUID(string: short), CBUUID(string: long))
        #expect(left == right)
        #expect(left.hash == right.hash)
        #expect(Set([left, right]).count == 1)
        #expect([left: 1][right] == 1)
    }

    @Test("different UUIDs differ")
    func difference() {
        #expect(CBUUID(string: "180D") != CBUUID(string: "180E"))
        #expect(CBUUID(string: "180D") != CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FC"))
        #expect(CBUUID(string: "180D") != CBUUID(string: "0001180D"))
    }

    @Test("strings and bytes keep the width, most significant byte first")
    func forms() {
        #expect(CBUUID(string: "180d").uuidString == "180D")
        #expect(CBUUID(string: "180D").data == Data([0x18, 0x0D]))
        #expect(CBUUID(string: "0000180D").data == Data([0, 0, 0x18, 0x0D]))
        let text = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        #expect(CBUUID(string: text.lowercased()).uuidString == text)
        #expect(CBUUID(string: text).description == text)
        #expect(CBUUID(string: text).data.prefix(4) == Data([0x6E, 0x40, 0x00, 0x01]))
        #expect(CBUUID(data: CBUUID(string: text).data) == CBUUID(string: text))
        let uuid = UUID()
        #expect(CBUUID(nsuuid: uuid).uuidString == uuid.uuidString)
        #expect(CBUUID(data: Data([0xFE, 0xAA])) == CBUUID(string: "FEAA"))
    }

    @Test("what is no UUID stops the program")
    func invalid() async {
        await #expect(processExitsWith: .failure) { _ = CBUUID(string: "18") }
        await #expect(processExitsWith: .failure) { _ = CBUUID(string: "18 D") }
        await #expect(processExitsWith: .failure) { _ = CBUUID(data: Data([1, 2, 3])) }
    }

    @Test("addresses are read and written in their usual form")
    func addresses() throws {
        let address = try #require(RadioAddress("c0:12:34:56:78:9a"))
        #expect(address.description == "C0:12:34:56:78:9A")
        #expect(address.compact == "C0123456789A")
        #expect(RadioAddress(address.compact) == address)
        #expect(RadioAddress(bytes: address.bytes) == address)
        #expect(RadioAddress("00:00:00:00:00:01")?.description == "00:00:00:00:00:01")
        for wrong in ["", "C0:12:34:56:78", "C0:12:34:56:78:9A:BC", "C0:12:34:56:78:9G", "C0123456789A0", ":::::"] {
            #expect(RadioAddress(wrong) == nil)
        }
        #expect(RadioAddress.random(from: 0).description == "C0:00:00:00:00:00")
        #expect(RadioAddress.random(from: .max).description == "FF:FF:FF:FF:FF:FF")
    }
}
