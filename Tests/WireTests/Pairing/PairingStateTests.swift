import Foundation
import Testing
import Wire

@Suite struct PairingStateTests {
    @Test func codesArePinned() {
        #expect(
            PairingState.Phase.allCases.map { "\($0) \($0.rawValue)" } == [
                "waiting 0", "receiving 1", "joining 2", "registering 3", "done 4", "failed 5",
            ])
        #expect(
            PairingFailure.allCases.map { "\($0.rawValue) \($0.code)" } == [
                "wrongPassword 1", "networkNotFound 2", "noAddress 3", "cloudUnreachable 4", "keyRefused 5",
                "unknownDestination 6", "alreadyClaimed 7", "invalidCredentials 8", "internalFault 9",
                "couldNotJoin 10",
            ])
    }

    @Test(arguments: PairingState.Phase.allCases, [nil] + PairingFailure.allCases)
    func survivesTheRoundTrip(phase: PairingState.Phase, failure: PairingFailure?) throws {
        let state = PairingState(phase: phase, failure: failure)
        #expect(state.encoded() == Data([phase.rawValue, failure?.code ?? 0]))
        #expect(try PairingState(decoding: state.encoded()) == state)
    }

    @Test func everyPairOfBytesIsAStateOrAnError() {
        var accepted = 0
        for first in 0...UInt8.max {
            for second in 0...UInt8.max {
                guard let state = try? PairingState(decoding: Data([first, second])) else { continue }
                accepted += 1
                #expect(state.encoded() == Data([first, second]))
            }
        }
        #expect(accepted == 6 * 11)
    }

    @Test(
        arguments: [
            ([], WireError.length(field: "status", actual: 0, allowed: 2...2)),
            ([0], .length(field: "status", actual: 1, allowed: 2...2)),
            ([0, 0, 0], .length(field: "status", actual: 3, allowed: 2...2)),
            ([6, 0], .value(field: "phase", reason: "code 6 is not known")),
            ([5, 11], .value(field: "failure", reason: "code 11 is not known")),
        ] as [([UInt8], WireError)])
    func refusesOtherBytes(bytes: [UInt8], error: WireError) {
        #expect(throws: error) { try PairingState(decoding: Data(bytes)) }
    }

    @Test func readsASliceOfData() throws {
        let slice = Data([9, 9, 5, 1])[2...]
        #expect(try PairingState(decoding: slice) == PairingState(phase: .failed, failure: .wrongPassword))
    }

    @Test func everyFailureHasASentenceOfItsOwn() {
        let sentences = PairingFailure.allCases.map(\.description)
        #expect(Set(sentences).count == PairingFailure.allCases.count)
        #expect(sentences.allSatisfy { $0.hasSuffix(".") })
    }

    @Test func codesOutsideTheListAreNoFailure() {
        #expect(PairingFailure(code: 0) == nil)
        #expect(PairingFailure(code: 11) == nil)
        #expect(PairingFailure(code: 255) == nil)
    }
}
