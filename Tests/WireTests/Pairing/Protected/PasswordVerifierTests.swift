import CryptoKit
import Foundation
import Testing

@testable import Wire

@Suite struct PasswordVerifierTests {
    @Test(arguments: [nil, ProtectedPair.id], [nil, "13572468"])
    func comesBackFromItsBytes(id: DeviceID?, code: String?) throws {
        let pair = try ProtectedPair(code: code, registered: code, id: id)
        let again = try PasswordVerifier(decoding: pair.verifier.encoded)
        #expect(again.encoded == pair.verifier.encoded)
        #expect(again.kind == pair.verifier.kind)
        #expect(again.deviceID == id)
        #expect(again.stretching == ProtectedPair.stretching)
        var kept = pair
        kept.verifier = again
        var (client, camera) = try kept.channels()
        #expect(try camera.open(client.seal(Data([2]))) == Data([2]))
    }

    @Test func theBytesArePinned() throws {
        let verifier = try ProtectedPair().verifier
        let head = Data([1, 1, 27]) + Data("PLC0123456789ABCDEFGHJKMNPQ".utf8) + [16] + Data(0..<16) + [10, 1, 1]
        #expect(verifier.encoded == head + verifier.record.rawRepresentation)
        #expect(verifier.encoded.count == head.count + 97)
    }

    @Test func theCodeIsNotAmongThem() throws {
        let verifier = try ProtectedPair().verifier
        #expect(verifier.encoded.range(of: Data("13572468".utf8)) == nil)
        #expect(verifier.encoded.range(of: Data("1357".utf8)) == nil)
    }

    @Test func theSaltTheCodeAndTheCameraEachMakeAnotherRecord() throws {
        let salt = ExchangeWelcome.Stretching(salt: Data(1...16), logN: 10, r: 1, p: 1)
        let cost = ExchangeWelcome.Stretching(salt: Data(0..<16), logN: 11, r: 1, p: 1)
        let verifiers = [
            try ProtectedPair(), try ProtectedPair(registered: "13572469"), try ProtectedPair(registered: nil),
            try ProtectedPair(id: nil), try ProtectedPair(stretching: salt), try ProtectedPair(stretching: cost),
        ]
        #expect(Set(verifiers.map { $0.verifier.record.rawRepresentation }).count == verifiers.count)
    }

    @Test func damagedBytesAreRefused() throws {
        let bytes = try ProtectedPair().verifier.encoded
        for length in 0..<bytes.count {
            #expect(throws: ProtectedPairingError.self) { try PasswordVerifier(decoding: bytes.prefix(length)) }
        }
        #expect(throws: ProtectedPairingError.self) { try PasswordVerifier(decoding: bytes + [0]) }
        // Version, kind, length of the id, a blank in the id, length of the salt, N, r, p, form of the point, the point.
        for (place, value) in [
            (0, 2), (1, 2), (2, 26), (3, 0x20), (30, 15), (47, 9), (48, 17), (49, 5), (82, 2), (146, bytes[146] ^ 1),
        ] as [(Int, UInt8)] {
            var damaged = bytes
            damaged[place] = value
            #expect(throws: ProtectedPairingError.self, "byte \(place)") {
                try PasswordVerifier(decoding: damaged)
            }
        }
    }
}
