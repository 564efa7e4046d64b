import Foundation
import Testing
import Wire

@Suite struct PairingAdvertisementTests {
    @Test func bytesArePinned() {
        let state = PairingState(phase: .failed, failure: .wrongPassword)
        let data = PairingAdvertisement.manufacturerData(state)
        #expect(data == Data([0xFF, 0xFF, 0x50, 1, 5, 1]))
        #expect(PairingAdvertisement.state(manufacturerData: data) == state)
    }

    @Test(arguments: PairingState.Phase.allCases)
    func laterBytesAreIgnored(phase: PairingState.Phase) {
        let state = PairingState(phase: phase)
        let data = PairingAdvertisement.manufacturerData(state) + Data([7, 7, 7])
        #expect(PairingAdvertisement.state(manufacturerData: data) == state)
        // A slice of a larger buffer, as parsers hand it over.
        #expect(PairingAdvertisement.state(manufacturerData: (Data([0, 0]) + data).dropFirst(2)) == state)
    }

    @Test(arguments: [
        [], [0xFF], [0xFF, 0xFF, 0x50, 1, 5], [0x4C, 0x00, 0x02, 0x15, 0, 0], [0xFF, 0xFF, 0x51, 1, 0, 0],
        [0xFF, 0xFF, 0x50, 2, 0, 0], [0xFF, 0xFF, 0x50, 1, 6, 0], [0xFF, 0xFF, 0x50, 1, 5, 99],
    ])
    func othersAreNotOurs(bytes: [UInt8]) {
        #expect(PairingAdvertisement.state(manufacturerData: Data(bytes)) == nil)
    }
}
