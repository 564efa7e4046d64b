import Foundation
import Testing
import Wire

@Suite struct DeviceIDTests {
    @Test(arguments: [
        ([UInt8](repeating: 0, count: 32), "PLC000000000000000000000000"),
        ([UInt8](repeating: 0xFF, count: 15), "PLCZZZZZZZZZZZZZZZZZZZZZZZZ"),
        (Array(0..<32), "PLC000G40R40M30E209185GR38E"),
        // SHA-256 of the bytes 0 to 31.
        (
            [0x63, 0x0D, 0xCD, 0x29, 0x66, 0xC4, 0x33, 0x66, 0x91, 0x12, 0x54, 0x48, 0xBB, 0xB2, 0x5B, 0x4F],
            "PLCCC6WTAB6RGSPD48JAH4BQCJV"
        ),
    ])
    func derivesFromAKeyDigest(digest: [UInt8], id: String) {
        #expect(DeviceID(publicKeyDigest: digest).rawValue == id)
        #expect(DeviceID(rawValue: id) == DeviceID(publicKeyDigest: digest))
    }

    @Test func ignoresWhatFollowsTheFirst120Bits() {
        let digest = [UInt8](repeating: 7, count: 15)
        #expect(DeviceID(publicKeyDigest: digest + [1]) == DeviceID(publicKeyDigest: digest + [2]))
    }

    @Test func everyBitOfTheDigestCounts() {
        let ids = (0..<120).map { bit in
            var digest = [UInt8](repeating: 0, count: 15)
            digest[bit / 8] = 1 << (bit % 8)
            return DeviceID(publicKeyDigest: digest)
        }
        #expect(Set(ids).count == 120)
    }

    @Test(arguments: [
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0", " ABCDEFGHIJKLMNOPQRSTUVWXYZ0\r\n", "!\"#$%&'()*+,-./:;<=>?@[\\]^_",
    ])
    func accepts27VisibleCharacters(text: String) throws {
        let id = try #require(DeviceID(rawValue: text))
        #expect(id.rawValue == text.trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(id.rawValue.count == 27)
    }

    @Test(arguments: [
        "", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "ABCDEFGHIJKLMNOPQRSTUVWXYZ01", "ABCDEFGHIJKLM OPQRSTUVWXYZ0",
        "ABCDEFGHIJKLM\nOPQRSTUVWXYZ0", "ABCDEFGHIJKLMNOPQRSTUVWXYZ\u{7F}", "ABCDEFGHIJKLMNOPQRSTUVWXYé",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ\0", String(repeating: "A", count: 1_000_000),
    ])
    func refusesOtherText(text: String) {
        #expect(DeviceID(rawValue: text) == nil)
    }

    @Test func isAStringInJSON() throws {
        let id = try #require(DeviceID(rawValue: "PLC000G40R40M30E209185GR38E"))
        try expectJSON([id], #"["PLC000G40R40M30E209185GR38E"]"#)
        expectBadField([DeviceID].self, "Index 0", in: #"["PLC"]"#)
        expectBadField([DeviceID].self, "Index 0", in: "[27]")
    }

    @Test func showsItsEnding() throws {
        let id = try #require(DeviceID(rawValue: "PLC000G40R40M30E209185GR38E"))
        #expect(id.ending == "R38E")
        #expect("\(id)" == "PLC000G40R40M30E209185GR38E")
    }
}
