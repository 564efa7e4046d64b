import CryptoKit
import Foundation
import Testing

@Suite struct SPAKE2PlusTests {
    /// An exchange that somebody else computed.
    struct Vector: Sendable, CustomTestStringConvertible {
        var context: String
        var w0, w1, l, x, y: String
        var proverShare, verifierShare, proverConfirmation, verifierConfirmation, key: String
        var testDescription: String { context }

        var setting: SPAKE2Plus.Setting {
            SPAKE2Plus.Setting(
                context: Data(context.utf8), prover: Data("client".utf8), verifier: Data("server".utf8))
        }
    }

    /// RFC 9383, appendix C, has one exchange of this suite; the second is of the draft before it
    /// (draft-bar-cfrg-spake2plus-08), with the same computation.
    static let vectors = [
        Vector(
            context: "SPAKE2+-P256-SHA256-HKDF-SHA256-HMAC-SHA256 Test Vectors",
            w0: "bb8e1bbcf3c48f62c08db243652ae55d3e5586053fca77102994f23ad95491b3",
            w1: "7e945f34d78785b8a3ef44d0df5a1a97d6b3b460409a345ca7830387a74b1dba",
            l: """
                04eb7c9db3d9a9eb1f8adab81b5794c1f13ae3e225efbe91ea487425854c7fc00f00bfedcbd09b2400142d40a14f2064\
                ef31dfaa903b91d1faea7093d835966efd
                """,
            x: "d1232c8e8693d02368976c174e2088851b8365d0d79a9eee709c6a05a2fad539",
            y: "717a72348a182085109c8d3917d6c43d59b224dc6a7fc4f0483232fa6516d8b3",
            proverShare: """
                04ef3bd051bf78a2234ec0df197f7828060fe9856503579bb1733009042c15c0c1de127727f418b5966afadfdd95a6e4\
                591d171056b333dab97a79c7193e341727
                """,
            verifierShare: """
                04c0f65da0d11927bdf5d560c69e1d7d939a05b0e88291887d679fcadea75810fb5cc1ca7494db39e82ff2f50665255d\
                76173e09986ab46742c798a9a68437b048
                """,
            proverConfirmation: "926cc713504b9b4d76c9162ded04b5493e89109f6d89462cd33adc46fda27527",
            verifierConfirmation: "9747bcc4f8fe9f63defee53ac9b07876d907d55047e6ff2def2e7529089d3e68",
            key: "0c5f8ccd1413423a54f6c1fb26ff01534a87f893779c6e68666d772bfd91f3e7"),
        Vector(
            context: "SPAKE2+-P256-SHA256-HKDF-SHA256 Test Vectors",
            w0: "f8648104ede0eb4bf1f762d3f7022bf7d49a8b0911e47375d793830432d77be7",
            w1: "927194a92342775ece50539994adc34563f75a3223de6299727e482a914c5f53",
            l: """
                0429e83599be728c68d272985ffa4dbee8f11236cb90d9b8cac5141a528ef2947e70228df615c2629193f4b9f696b827\
                1661ba6551959a843dbfc619aaa3c2f417
                """,
            x: "08ed1260208254587a9516338c581a418789204aecddbb5e93d7eaf53ddd099f",
            y: "4160af9ca14b36e4810c021a3bc6151c71d09bcb29eb2c37ce24ab3585bf128a",
            proverShare: """
                04b7f125df138ca0e39ab4be631fe4699523d3f1fff17a087775058d163f075a45c53b2b4f6430b1dd62b81e8eda730f\
                aa542323c5fc90766d853d491a66cea9cf
                """,
            verifierShare: """
                042f259b8b8afb60be6c6ed0a21dcdbb91b9ee794c169eb93c34973dc117f1c675b075e07a9f72a41e932a884db5b32a\
                603ce8263259ba19438fe0789fd6e31cc4
                """,
            proverConfirmation: "3ffb4826923e29226d107b55621fd04d3ab1a958e8dc7d44dc18c987d1a751f1",
            verifierConfirmation: "ca7b2c49670d32ae92d65d29fe734d0def731e3984a7f5162181a26784eb2901",
            key: "2c3824544f8cd7e17e721900245c3afb8f82812b2db202f275dc4276ec6e184c"),
    ]

    @Test(arguments: vectors)
    func agreesAsTheRFCDoes(_ vector: Vector) throws {
        let secret = try SPAKE2Plus.ProverSecret(
            w0: SymmetricKey(data: Data(hexadecimal: vector.w0)), w1: SymmetricKey(data: Data(hexadecimal: vector.w1)))
        let record = try secret.registrationRecord()
        #expect(record.rawRepresentation == Data(hexadecimal: vector.w0 + vector.l))

        var x = GivenScalar(vector.x)
        var prover = try SPAKE2Plus.Prover(secret: secret, setting: vector.setting, using: &x)
        #expect(prover.share == Data(hexadecimal: vector.proverShare))

        var y = GivenScalar(vector.y)
        var verifier = try SPAKE2Plus.Verifier(
            record: SPAKE2Plus.RegistrationRecord(rawRepresentation: record.rawRepresentation),
            setting: vector.setting, proverShare: prover.share, using: &y)
        #expect(verifier.share == Data(hexadecimal: vector.verifierShare))
        #expect(verifier.confirmation == Data(hexadecimal: vector.verifierConfirmation))

        let (confirmation, key) = try prover.finish(share: verifier.share, confirmation: verifier.confirmation)
        #expect(confirmation == Data(hexadecimal: vector.proverConfirmation))
        #expect(key == SymmetricKey(data: Data(hexadecimal: vector.key)))
        #expect(try verifier.finish(confirmation: confirmation) == key)
    }

    @Test func aStretchedPasswordIsReducedByTheOrder() throws {
        // The order of P-256 and 7 is 7; the order less one is itself; and both halves count.
        let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
        let plusSeven = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632558"
        let lessOne = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"
        let pad = String(repeating: "0", count: 16)
        let secret = try SPAKE2Plus.ProverSecret(
            stretchedPassword: SymmetricKey(data: Data(hexadecimal: pad + plusSeven + pad + lessOne)))
        let same = try SPAKE2Plus.ProverSecret(
            w0: SymmetricKey(data: Data(count: 31) + [7]), w1: SymmetricKey(data: Data(hexadecimal: lessOne)))
        #expect(
            try secret.registrationRecord().rawRepresentation == same.registrationRecord().rawRepresentation)

        for wide in [Data(hexadecimal: pad + order + pad + lessOne), Data(count: 80), Data(count: 79), Data(count: 81)]
        {
            #expect(throws: SPAKE2Plus.Failure.secret) {
                try SPAKE2Plus.ProverSecret(stretchedPassword: SymmetricKey(data: wide))
            }
        }
        for bad in [Data(hexadecimal: order), Data(count: 32), Data([7]), Data(count: 32) + [7]] {
            #expect(throws: SPAKE2Plus.Failure.secret) {
                try SPAKE2Plus.ProverSecret(
                    w0: SymmetricKey(data: bad), w1: SymmetricKey(data: Data(hexadecimal: lessOne)))
            }
        }
    }

    @Test func aDamagedRecordIsRefused() throws {
        let raw = Data(hexadecimal: Self.vectors[0].w0 + Self.vectors[0].l)
        var offCurve = raw
        offCurve[96] ^= 1
        var compressed = raw
        compressed[32] = 2
        for bad in [
            Data(), raw.dropLast(), raw + [0], offCurve, compressed, Data(count: 32) + raw.dropFirst(32),
            Data(repeating: 0xFF, count: 32) + raw.dropFirst(32),
        ] {
            #expect(throws: SPAKE2Plus.Failure.record) {
                try SPAKE2Plus.RegistrationRecord(rawRepresentation: bad)
            }
        }
        // Also out of the middle of other data.
        let slice = (Data([9, 9]) + raw).dropFirst(2)
        #expect(try SPAKE2Plus.RegistrationRecord(rawRepresentation: slice).rawRepresentation == raw)
    }

    @Test func aGeneratorOfZerosGivesNoExchange() throws {
        let secret = try secret(of: "password")
        var zeros = GivenScalar(String(repeating: "0", count: 64))
        #expect(throws: SPAKE2Plus.Failure.self) {
            try SPAKE2Plus.Prover(secret: secret, setting: Self.vectors[0].setting, using: &zeros)
        }
    }

    @Test func secretsAreNotPrinted() throws {
        let secret = try secret(of: "password")
        let record = try secret.registrationRecord()
        let prover = try SPAKE2Plus.Prover(secret: secret, setting: Self.vectors[0].setting)
        let verifier = try SPAKE2Plus.Verifier(
            record: record, setting: Self.vectors[0].setting, proverShare: prover.share)
        for value in [secret, record, prover, verifier] as [any CustomStringConvertible] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(value.description.hasSuffix("(<redacted>)"))
            #expect(!dumped.contains("P256") && !dumped.contains("SymmetricKey"), "\(dumped)")
        }
    }

    private func secret(of password: String) throws -> SPAKE2Plus.ProverSecret {
        try SPAKE2Plus.ProverSecret(
            stretchedPassword: Scrypt.deriveKey(
                password: Data(password.utf8), salt: Data("salt".utf8), cost: 16, blockSize: 1, parallelism: 1,
                outputByteCount: SPAKE2Plus.stretchedPasswordByteCount))
    }
}
