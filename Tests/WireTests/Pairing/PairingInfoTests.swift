import Foundation
import Testing
import Wire

@Suite struct PairingInfoTests {
    @Test func layoutIsPinned() throws {
        let info = PairingInfo(
            layouts: [.standard, .protected], capabilities: [.managesWiFi, .fiveGigahertz], model: "Stoop 1")
        #expect(try info.encoded() == Data([1, 0b101, 0, 0b11] + "Stoop 1".utf8))
        #expect(
            try PairingInfo(layouts: [], capabilities: .init(rawValue: 0x1234), model: "").encoded()
                == Data([1, 0, 0x12, 0x34]))
    }

    @Test func bitsArePinned() {
        #expect([PairingInfo.Layouts.standard, .chunked, .protected].map(\.rawValue) == [1, 2, 4])
        #expect([PairingInfo.Capabilities.managesWiFi, .fiveGigahertz].map(\.rawValue) == [1, 2])
    }

    @Test(arguments: ["", "m", "Caméra 📷", String(repeating: "x", count: 32), String(repeating: "é", count: 16)])
    func survivesTheRoundTrip(model: String) throws {
        for bits in [0, 1, 0xFF] {
            let info = PairingInfo(
                layouts: .init(rawValue: UInt8(bits)), capabilities: .init(rawValue: UInt16(bits) << 4), model: model)
            #expect(try PairingInfo(decoding: info.encoded()) == info)
        }
    }

    @Test func refusesToEncodeALongModel() {
        #expect(throws: WireError.length(field: "model", actual: 34, allowed: 0...32)) {
            try PairingInfo(layouts: [], capabilities: [], model: String(repeating: "é", count: 17)).encoded()
        }
    }

    @Test(
        arguments: [
            ([], WireError.length(field: "info", actual: 0, allowed: 4...36)),
            ([1, 1, 0], .length(field: "info", actual: 3, allowed: 4...36)),
            ([1, 1, 0, 0] + [UInt8](repeating: 65, count: 33), .length(field: "info", actual: 37, allowed: 4...36)),
            ([0, 1, 0, 0], .version(0)),
            ([2, 1, 0, 0, 65], .version(2)),
            ([1, 1, 0, 0, 0xC3], .notText(field: "model")),
            ([1, 1, 0, 0, 0xED, 0xA0, 0x80], .notText(field: "model")),
        ] as [([UInt8], WireError)])
    func refusesOtherBytes(bytes: [UInt8], error: WireError) {
        #expect(throws: error) { try PairingInfo(decoding: Data(bytes)) }
    }

    @Test func whatIsAcceptedIsWhatWouldBeWritten() throws {
        var random = SeededGenerator(seed: 40)
        var accepted = 0
        for _ in 0..<10_000 {
            var bytes = random.data(count: Int.random(in: 0...40, using: &random))
            if !bytes.isEmpty { bytes[0] &= 1 }
            for index in bytes.indices.dropFirst(4) { bytes[index] &= 0x7F }
            guard let info = try? PairingInfo(decoding: bytes) else { continue }
            accepted += 1
            #expect(try info.encoded() == bytes)
        }
        #expect(accepted > 1_000)
    }
}
