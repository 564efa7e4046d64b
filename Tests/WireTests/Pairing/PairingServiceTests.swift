import Foundation
import Testing
import Wire

@Suite struct PairingServiceTests {
    @Test func everyUUIDIsOneAndDiffersFromTheOthers() {
        let texts = [PairingService.standardLayout] + PairingService.Characteristic.allCases.map(\.rawValue)
        let identifiers = texts.compactMap { UUID(uuidString: $0) }
        #expect(identifiers.map(\.uuidString) == texts)
        #expect(Set(identifiers).count == 11)
    }

    @Test func refusalsAreApplicationErrorsOfATT() {
        #expect(PairingService.WriteRefusal.allCases.map(\.rawValue) == Array(0x80...0x8B))
    }

    @Test(arguments: [
        (WireError.length(field: "ssid", actual: 0, allowed: 1...32), PairingService.WriteRefusal.length),
        (.notText(field: "region"), .notText), (.missing(field: "ssid"), .incomplete),
        (.value(field: "region", reason: ""), .value), (.version(2), .value),
        (.frameOrder(expected: 0, received: 1), .frameOrder), (.lines(1), .value),
    ])
    func aDecodingErrorHasItsRefusal(error: WireError, refusal: PairingService.WriteRefusal) {
        #expect(PairingService.WriteRefusal(error) == refusal)
    }
}
