import Foundation
import Testing
import Wire

@Suite struct PairingAdvertisementTests {
    @Test func bytesArePinned() {
        let advertisement = PairingAdvertisement(
            state: PairingState(phase: .failed, failure: .wrongPassword), layouts: [.standard, .chunked, .protected])
        #expect(advertisement.manufacturerData == Data([0xFF, 0xFF, 0x50, 1, 5, 1, 7]))
        #expect(PairingAdvertisement(manufacturerData: advertisement.manufacturerData) == advertisement)
    }

    @Test func theFirstCamerasOfferTheStandardLayout() {
        let advertisement = PairingAdvertisement(manufacturerData: Data([0xFF, 0xFF, 0x50, 1, 0, 0]))
        #expect(advertisement == PairingAdvertisement(state: PairingState(phase: .waiting), layouts: .standard))
    }

    @Test(arguments: PairingState.Phase.allCases)
    func laterBytesAreIgnored(phase: PairingState.Phase) {
        let advertisement = PairingAdvertisement(state: PairingState(phase: phase), layouts: .protected)
        let data = advertisement.manufacturerData + Data([7, 7, 7])
        #expect(PairingAdvertisement(manufacturerData: data) == advertisement)
        // A slice of a larger buffer, as parsers hand it over.
        #expect(PairingAdvertisement(manufacturerData: (Data([0, 0]) + data).dropFirst(2)) == advertisement)
    }

    @Test(arguments: [
        [], [0xFF], [0xFF, 0xFF, 0x50, 1, 5], [0x4C, 0x00, 0x02, 0x15, 0, 0], [0xFF, 0xFF, 0x51, 1, 0, 0],
        [0xFF, 0xFF, 0x50, 2, 0, 0], [0xFF, 0xFF, 0x50, 1, 6, 0], [0xFF, 0xFF, 0x50, 1, 5, 99],
    ])
    func othersAreNotOurs(bytes: [UInt8]) {
        #expect(PairingAdvertisement(manufacturerData: Data(bytes)) == nil)
    }
}
