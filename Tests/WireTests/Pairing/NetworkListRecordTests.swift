import Foundation
import Testing
import Wire

@Suite struct NetworkListRecordTests {
    private func network(ssid: Data, rssi: Int = -61) -> NetworkListRecord {
        .network(HeardNetwork(ssid: ssid, security: .wpa2, rssi: rssi, bands: [.twoGigahertz, .fiveGigahertz]))
    }

    @Test func layoutIsPinned() throws {
        #expect(try network(ssid: Data("Home".utf8)).encoded() == Data([1, 3, 0xC3, 0b11] + "Home".utf8))
        #expect(try NetworkListRecord.end(count: 0x0102).encoded() == Data([2, 1, 2]))
        #expect(try NetworkListRecord.failed.encoded() == Data([3]))
    }

    @Test(arguments: WiFiSecurity.allCases, [-128, -90, -1, 0, 127])
    func networksSurviveTheRoundTrip(security: WiFiSecurity, rssi: Int) throws {
        for ssid in [Data([0]), Data("🏡 кафе".utf8), Data([0xFF, 0xFE]), Data(repeating: 0x20, count: 32)] {
            for bands in 0...UInt8.max {
                let record = NetworkListRecord.network(
                    HeardNetwork(ssid: ssid, security: security, rssi: rssi, bands: WiFiBands(rawValue: bands)))
                #expect(try NetworkListRecord(decoding: record.encoded()) == record)
            }
        }
    }

    @Test(arguments: [0, 1, 255, 256, 65_535])
    func countsSurviveTheRoundTrip(count: Int) throws {
        #expect(try NetworkListRecord(decoding: NetworkListRecord.end(count: count).encoded()) == .end(count: count))
    }

    @Test func strengthBeyondItsByteIsClamped() throws {
        #expect(try network(ssid: Data([1]), rssi: -500).encoded()[2] == 0x80)
        #expect(try network(ssid: Data([1]), rssi: 500).encoded()[2] == 0x7F)
    }

    @Test func refusesToEncodeWhatHasNoRoom() {
        #expect(throws: WireError.length(field: "ssid", actual: 0, allowed: 1...32)) {
            try network(ssid: Data()).encoded()
        }
        #expect(throws: WireError.length(field: "ssid", actual: 33, allowed: 1...32)) {
            try network(ssid: Data(count: 33)).encoded()
        }
        #expect(throws: WireError.value(field: "count", reason: "-1 is not 0 to 65535")) {
            try NetworkListRecord.end(count: -1).encoded()
        }
        #expect(throws: WireError.value(field: "count", reason: "65536 is not 0 to 65535")) {
            try NetworkListRecord.end(count: 65_536).encoded()
        }
    }

    @Test(
        arguments: [
            ([], WireError.missing(field: "record")),
            ([0], .value(field: "record", reason: "kind 0 is not known")),
            ([4, 1, 2, 3, 4], .value(field: "record", reason: "kind 4 is not known")),
            ([1], .length(field: "network", actual: 1, allowed: 5...36)),
            ([1, 0, 0, 0], .length(field: "network", actual: 4, allowed: 5...36)),
            ([1, 0, 0, 0] + [UInt8](repeating: 65, count: 33), .length(field: "network", actual: 37, allowed: 5...36)),
            (
                [1, 0, 0, 0] + [UInt8](repeating: 65, count: 4000),
                .length(field: "network", actual: 4004, allowed: 5...36)
            ),
            ([1, 6, 0, 0, 65], .value(field: "security", reason: "code 6 is not known")),
            ([1, 255, 0, 0, 65], .value(field: "security", reason: "code 255 is not known")),
            ([2, 0], .length(field: "end", actual: 2, allowed: 3...3)),
            ([2, 0, 0, 0], .length(field: "end", actual: 4, allowed: 3...3)),
            ([3, 0], .length(field: "failed", actual: 2, allowed: 1...1)),
        ] as [([UInt8], WireError)])
    func refusesOtherBytes(bytes: [UInt8], error: WireError) {
        #expect(throws: error) { try NetworkListRecord(decoding: Data(bytes)) }
    }

    @Test func whatIsAcceptedIsWhatWouldBeWritten() throws {
        var random = SeededGenerator(seed: 30)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = random.data(count: Int.random(in: 0...40, using: &random))
            if !bytes.isEmpty { bytes[0] &= 3 }
            if bytes.count > 1, Bool.random(using: &random) { bytes[1] &= 7 }
            guard let record = try? NetworkListRecord(decoding: bytes) else { continue }
            accepted += 1
            #expect(try record.encoded() == bytes)
        }
        #expect(accepted > 1_000)
    }

    @Test func codesArePinned() {
        #expect(WiFiSecurity.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
        #expect(WiFiSecurity.allCases == [.open, .wep, .wpa, .wpa2, .wpa3, .enterprise])
        #expect([WiFiBands.twoGigahertz, .fiveGigahertz, .sixGigahertz].map(\.rawValue) == [1, 2, 4])
        #expect(NetworkScanCommand(rawValue: 1) == .scan)
        #expect(NetworkScanCommand(rawValue: 0) == nil)
    }
}
