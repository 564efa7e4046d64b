import Foundation
import Testing

@testable import CoreBluetooth

@Suite("Advertisements")
struct AdvertisementTests {
    private static let long = CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")

    private func heard(_ advertising: [UInt8], _ response: [UInt8] = []) -> Advertisement {
        AdvertisementPacket(advertising: Data(advertising), scanResponse: Data(response)).advertisement(
            isConnectable: true)
    }

    @Test(
        "what is packed is read back",
        arguments: [
            Advertisement(),
            Advertisement(localName: "camera", serviceUUIDs: [long]),
            Advertisement(
                localName: "all", serviceUUIDs: [CBUUID(string: "180D"), CBUUID(string: "12345678")],
                solicitedServiceUUIDs: [CBUUID(string: "180A")],
                serviceData: [CBUUID(string: "FEAA"): Data([1, 2, 3])],
                manufacturerData: Data([0x4C, 0, 1]), txPowerLevel: -8),
            Advertisement(serviceUUIDs: [long], serviceData: [long: Data(count: 13)]),
            Advertisement(manufacturerData: Data(count: 26)),
            Advertisement(localName: String(repeating: "n", count: 29)),
            Advertisement(solicitedServiceUUIDs: [CBUUID(string: "00000001"), long]),
        ])
    func roundTrip(_ advertisement: Advertisement) throws {
        let packet = try AdvertisementPacket(advertisement)
        #expect(packet.advertising.count <= 31)
        #expect(packet.scanResponse.count <= 31)
        #expect(packet.advertisement(isConnectable: true) == advertisement)
    }

    @Test("the services stand in the first packet, the name is shortened at a whole character")
    func packing() throws {
        let packet = try AdvertisementPacket(
            Advertisement(localName: "Küchenkamera über dem Herd 🎥🎥", serviceUUIDs: [Self.long]))
        #expect([UInt8](packet.advertising.prefix(5)) == [2, 1, 6, 17, 7])
        #expect(packet.scanResponse[1] == 0x08)
        let name = try #require(packet.advertisement(isConnectable: true).localName)
        #expect("Küchenkamera über dem Herd 🎥🎥".hasPrefix(name))
        #expect(name == "Küchenkamera über dem Herd ")
    }

    @Test("what fits no packet is refused")
    func tooLong() {
        #expect(throws: CBError(.outOfSpace)) {
            try AdvertisementPacket(Advertisement(manufacturerData: Data(count: 30)))
        }
        #expect(throws: CBError(.outOfSpace)) {
            try AdvertisementPacket(Advertisement(serviceUUIDs: [Self.long, CBUUID(nsuuid: UUID())]))
        }
    }

    @Test("malformed structures are skipped, what stands before them counts")
    func malformed() {
        #expect(heard([]) == Advertisement())
        #expect(heard([0, 0, 0]) == Advertisement())
        // A length that leads past the end.
        #expect(heard([2, 0x0A, 4, 30, 0x09, 0x41]).txPowerLevel == 4)
        #expect(heard([5, 0x09, 0x41]) == Advertisement())
        // Only a length; only a kind.
        #expect(heard([7]) == Advertisement())
        #expect(heard([1, 0xFF, 2, 0x0A, 1]).txPowerLevel == 1)
        // Manufacturer data without a whole company; service data without a whole UUID.
        #expect(heard([2, 0xFF, 0x4C]).manufacturerData == nil)
        #expect(heard([2, 0x16, 0xAA]).serviceData.isEmpty)
        #expect(heard([3, 0x16, 0xAA, 0xFE]).serviceData == [CBUUID(string: "FEAA"): Data()])
        // Half a UUID at the end of a list.
        #expect(heard([4, 0x03, 0x0D, 0x18, 0x0F]).serviceUUIDs == [CBUUID(string: "180D")])
        // Flags after manufacturer data; an empty payload of Apple's.
        #expect(heard([3, 0xFF, 0x4C, 0x00, 2, 0x01, 0x06]).manufacturerData == Data([0x4C, 0]))
        // A power of the wrong length; a name that is no UTF-8.
        #expect(heard([3, 0x0A, 4, 4]).txPowerLevel == nil)
        #expect(heard([3, 0x09, 0xFF, 0x41]).localName == "\u{FFFD}A")
    }

    @Test("names and lists of both packets are put together")
    func both() {
        let result = heard(
            [3, 0x02, 0x0D, 0x18, 3, 0x08, 0x41, 0x42], [3, 0x03, 0x0F, 0x18, 4, 0x09, 0x41, 0x42, 0x43])
        #expect(result.localName == "ABC")
        #expect(result.serviceUUIDs == [CBUUID(string: "180D"), CBUUID(string: "180F")])
        #expect(heard([3, 0x09, 0x41, 0x42], [2, 0x08, 0x41]).localName == "AB")
    }

    @Test("random bytes never stop the reader")
    func random() {
        var generator = SplitMix(seed: 7)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...31, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            let result = heard(bytes)
            #expect(result.serviceUUIDs.count <= 15)
        }
    }

    @Test("filters look at services, or at those that are asked for")
    func filters() {
        let advertisement = Advertisement(
            serviceUUIDs: [CBUUID(string: "180D")], solicitedServiceUUIDs: [CBUUID(string: "1805")])
        #expect(advertisement.matches(services: nil, solicited: []))
        #expect(advertisement.matches(services: [], solicited: []))
        #expect(advertisement.matches(services: [CBUUID(string: "180D"), CBUUID(string: "180F")], solicited: []))
        #expect(!advertisement.matches(services: [CBUUID(string: "180F")], solicited: []))
        #expect(advertisement.matches(services: [CBUUID(string: "180F")], solicited: [CBUUID(string: "1805")]))
        #expect(!advertisement.matches(services: nil, solicited: [CBUUID(string: "180D")]))
    }
}

/// A generator that gives the same numbers each time.
struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
