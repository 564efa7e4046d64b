import Foundation
import Testing

@testable import CryptoKit

/// What a stranger, a wrong password or a bad line do to an exchange.
@Suite struct SPAKE2PlusAttackTests {
    private static let setting = SPAKE2Plus.Setting(
        context: Data("test".utf8), prover: Data("app".utf8), verifier: Data("camera".utf8))

    private static func secret(_ password: String) throws -> SPAKE2Plus.ProverSecret {
        try SPAKE2Plus.ProverSecret(
            stretchedPassword: Scrypt.deriveKey(
                password: Data(password.utf8), salt: Data("salt".utf8), cost: 16, blockSize: 1, parallelism: 1,
                outputByteCount: SPAKE2Plus.stretchedPasswordByteCount))
    }

    /// Both sides up to the verifier's answer.
    private struct Exchange {
        var prover: SPAKE2Plus.Prover
        var verifier: SPAKE2Plus.Verifier

        init(
            password: String = "right", recordOf registered: String = "right",
            setting: SPAKE2Plus.Setting = SPAKE2PlusAttackTests.setting,
            verifierSetting: SPAKE2Plus.Setting = SPAKE2PlusAttackTests.setting
        ) throws {
            prover = try SPAKE2Plus.Prover(secret: SPAKE2PlusAttackTests.secret(password), setting: setting)
            verifier = try SPAKE2Plus.Verifier(
                record: SPAKE2PlusAttackTests.secret(registered).registrationRecord(), setting: verifierSetting,
                proverShare: prover.share)
        }
    }

    @Test func eachExchangeHasItsOwnSharesAndKey() throws {
        var keys: Set<Data> = []
        var shares: Set<Data> = []
        for _ in 0..<16 {
            var exchange = try Exchange()
            let (confirmation, key) = try exchange.prover.finish(
                share: exchange.verifier.share, confirmation: exchange.verifier.confirmation)
            #expect(try exchange.verifier.finish(confirmation: confirmation) == key)
            keys.insert(key.withUnsafeBytes { Data($0) })
            shares.formUnion([exchange.prover.share, exchange.verifier.share])
        }
        #expect(keys.count == 16)
        #expect(shares.count == 32)
    }

    @Test func aWrongPasswordIsFoundOutByBothSides() throws {
        var exchange = try Exchange(password: "wrong")
        #expect(throws: SPAKE2Plus.Failure.confirmation) {
            try exchange.prover.finish(share: exchange.verifier.share, confirmation: exchange.verifier.confirmation)
        }
        // A prover that goes on all the same has nothing to say that the verifier takes.
        for guess in [Data(count: 32), exchange.verifier.confirmation, Data()] {
            var verifier = exchange.verifier
            #expect(throws: SPAKE2Plus.Failure.confirmation) { try verifier.finish(confirmation: guess) }
        }
    }

    @Test func anotherSettingIsAnotherPassword() throws {
        var other = Self.setting
        other.context[0] ^= 1
        var swapped = Self.setting
        (swapped.prover, swapped.verifier) = (swapped.verifier, swapped.prover)
        // The lengths count: the same bytes, divided otherwise, are another setting.
        var shifted = Self.setting
        shifted.context.append(shifted.prover.removeFirst())
        for setting in [other, swapped, shifted, SPAKE2Plus.Setting(context: Self.setting.context)] {
            var exchange = try Exchange(verifierSetting: setting)
            #expect(throws: SPAKE2Plus.Failure.confirmation) {
                try exchange.prover.finish(
                    share: exchange.verifier.share, confirmation: exchange.verifier.confirmation)
            }
        }
    }

    @Test(arguments: 0..<SPAKE2Plus.shareByteCount)
    func everyByteOfASharedPointCounts(_ place: Int) throws {
        let honest = try Exchange()
        let record = try Self.secret("right").registrationRecord()

        var share = honest.prover.share
        share[place] ^= 1 << (place % 8)
        var prover = honest.prover
        do {
            let verifier = try SPAKE2Plus.Verifier(record: record, setting: Self.setting, proverShare: share)
            #expect(throws: SPAKE2Plus.Failure.confirmation) {
                try prover.finish(share: verifier.share, confirmation: verifier.confirmation)
            }
        } catch {
            #expect(error == .share)
        }

        var answer = honest.verifier.share
        answer[place] ^= 1 << (place % 8)
        prover = honest.prover
        #expect(throws: SPAKE2Plus.Failure.share) {
            try prover.finish(share: answer, confirmation: honest.verifier.confirmation)
        }
    }

    @Test(arguments: 0..<SPAKE2Plus.confirmationByteCount)
    func everyByteOfAConfirmationCounts(_ place: Int) throws {
        let honest = try Exchange()
        var confirmation = honest.verifier.confirmation
        confirmation[place] ^= 1 << (place % 8)
        var prover = honest.prover
        #expect(throws: SPAKE2Plus.Failure.confirmation) {
            try prover.finish(share: honest.verifier.share, confirmation: confirmation)
        }

        prover = honest.prover
        var right = try prover.finish(share: honest.verifier.share, confirmation: honest.verifier.confirmation)
        right.confirmation[place] ^= 1 << (place % 8)
        var verifier = honest.verifier
        #expect(throws: SPAKE2Plus.Failure.confirmation) { try verifier.finish(confirmation: right.confirmation) }
    }

    @Test func confirmationsOfOtherLengthsAreRefused() throws {
        let honest = try Exchange()
        for confirmation in [
            Data(), honest.verifier.confirmation.dropLast(), honest.verifier.confirmation + [0],
        ] {
            var prover = honest.prover
            #expect(throws: SPAKE2Plus.Failure.confirmation) {
                try prover.finish(share: honest.verifier.share, confirmation: confirmation)
            }
        }
    }

    @Test func whatIsNoPointInFullFormIsRefused() throws {
        let honest = try Exchange()
        let share = honest.prover.share
        let field = Data(hexadecimal: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
        let bad: [Data] = [
            Data(), Data([0]), Data(count: 65), share.dropLast(), share + [0],
            Data([2 + share[64] % 2]) + share[1..<33],  // compressed
            Data([6 + share[64] % 2]) + share.dropFirst(),  // hybrid
            Data([4]) + share[1..<33] + field,  // y is not below the field's prime
            Data([4]) + field + share[33..<65],
            Data([4]) + Data(count: 64),  // (0, 0) is no point
            Data([4]) + Data(repeating: 0xFF, count: 64),
        ]
        for bytes in bad {
            #expect(throws: SPAKE2Plus.Failure.share, "\(bytes.count) bytes") {
                try SPAKE2Plus.Verifier(
                    record: Self.secret("right").registrationRecord(), setting: Self.setting, proverShare: bytes)
            }
            var prover = honest.prover
            #expect(throws: SPAKE2Plus.Failure.share, "\(bytes.count) bytes") {
                try prover.finish(share: bytes, confirmation: honest.verifier.confirmation)
            }
        }
    }

    /// Whoever knows w0 alone (out of a stolen record) can send the mask itself, which would make the common point the
    /// one at infinity.
    @Test func theMaskItselfIsNoShare() throws {
        let secret = try Self.secret("right")
        let m = try #require(SPAKE2PlusConstant.m.times(secret.w0)).uncompressed.withUnsafeBytes { Data($0) }
        let n = try #require(SPAKE2PlusConstant.n.times(secret.w0)).uncompressed.withUnsafeBytes { Data($0) }
        #expect(throws: SPAKE2Plus.Failure.share) {
            try SPAKE2Plus.Verifier(record: secret.registrationRecord(), setting: Self.setting, proverShare: m)
        }
        var exchange = try Exchange()
        #expect(throws: SPAKE2Plus.Failure.share) {
            try exchange.prover.finish(share: n, confirmation: exchange.verifier.confirmation)
        }
    }

    /// Each side refuses its own words: the two masks and the two confirmation keys differ.
    @Test func whatASideSaidDoesNotServeAgainstIt() throws {
        let honest = try Exchange()
        var prover = honest.prover
        #expect(throws: SPAKE2Plus.Failure.confirmation) {
            try prover.finish(share: prover.share, confirmation: honest.verifier.confirmation)
        }
        var verifier = honest.verifier
        #expect(throws: SPAKE2Plus.Failure.confirmation) {
            try verifier.finish(confirmation: honest.verifier.confirmation)
        }
    }

    /// The words of one exchange, heard and said again, open no other.
    @Test func anOldExchangeCannotBeSaidAgain() throws {
        var old = try Exchange()
        let (confirmation, key) = try old.prover.finish(
            share: old.verifier.share, confirmation: old.verifier.confirmation)

        var verifier = try SPAKE2Plus.Verifier(
            record: Self.secret("right").registrationRecord(), setting: Self.setting, proverShare: old.prover.share)
        #expect(throws: SPAKE2Plus.Failure.confirmation) { try verifier.finish(confirmation: confirmation) }

        var prover = try SPAKE2Plus.Prover(secret: Self.secret("right"), setting: Self.setting)
        #expect(throws: SPAKE2Plus.Failure.confirmation) {
            try prover.finish(share: old.verifier.share, confirmation: old.verifier.confirmation)
        }
        #expect(try old.verifier.finish(confirmation: confirmation) == key)
    }

    @Test func anExchangeEndsWithItsFirstTry() throws {
        let honest = try Exchange()
        var prover = honest.prover
        #expect(throws: SPAKE2Plus.Failure.confirmation) {
            try prover.finish(share: honest.verifier.share, confirmation: Data(count: 32))
        }
        #expect(throws: SPAKE2Plus.Failure.ended) {
            try prover.finish(share: honest.verifier.share, confirmation: honest.verifier.confirmation)
        }

        prover = honest.prover
        let (confirmation, _) = try prover.finish(
            share: honest.verifier.share, confirmation: honest.verifier.confirmation)
        var verifier = honest.verifier
        #expect(throws: SPAKE2Plus.Failure.confirmation) { try verifier.finish(confirmation: Data(count: 32)) }
        #expect(throws: SPAKE2Plus.Failure.ended) { try verifier.finish(confirmation: confirmation) }

        verifier = honest.verifier
        _ = try verifier.finish(confirmation: confirmation)
        #expect(throws: SPAKE2Plus.Failure.ended) { try verifier.finish(confirmation: confirmation) }
    }
}
