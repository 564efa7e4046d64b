import CryptoKit
import Foundation
import Testing

@Suite struct ChaChaPolyTests {
    /// RFC 8439, section 2.8.2 and appendix A.5.
    struct Vector: Sendable {
        var key, nonce, authenticated: String
        var message: Data
        var ciphertext, tag: String
    }

    static let vectors = [
        Vector(
            key: "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
            nonce: "070000004041424344454647", authenticated: "50515253c0c1c2c3c4c5c6c7",
            message: Data(
                """
                Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen \
                would be it.
                """.utf8),
            ciphertext: """
                d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b\
                1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc\
                3ff4def08e4b7a9de576d26586cec64b6116
                """,
            tag: "1ae10b594f09e26a7e902ecbd0600691"),
        Vector(
            key: "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0",
            nonce: "000000000102030405060708", authenticated: "f33388860000000000004e91",
            message: Data(
                """
                Internet-Drafts are draft documents valid for a maximum of six months and may be updated, replaced, or \
                obsoleted by other documents at any time. It is inappropriate to use Internet-Drafts as reference \
                material or to cite them other than as /\u{201C}work in progress./\u{201D}
                """.utf8),
            ciphertext: """
                64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb24c6cfc18755d43eea09ee94e382d26b0\
                bdb7b73c321b0100d4f03b7f355894cf332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c855\
                9797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4b9166c767b804d46a59b5216cde7a4e9\
                9040c5a40433225ee282a1b0a06c523eaf4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a\
                0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a1049e617d91d361094fa68f0ff77987130\
                305beaba2eda04df997b714d6c6f2c29a6ad5cb4022b02709b
                """,
            tag: "eead9d67890cbb22392336fea1851f38"),
    ]

    @Test(arguments: vectors)
    func sealsAndOpensAsTheRFCDoes(_ vector: Vector) throws {
        let key = SymmetricKey(data: Data(hexadecimal: vector.key))
        let nonce = try ChaChaPoly.Nonce(data: Data(hexadecimal: vector.nonce))
        let authenticated = Data(hexadecimal: vector.authenticated)
        let box = try ChaChaPoly.seal(vector.message, using: key, nonce: nonce, authenticating: authenticated)
        #expect(box.ciphertext == Data(hexadecimal: vector.ciphertext))
        #expect(box.tag == Data(hexadecimal: vector.tag))
        #expect(box.combined == Data(hexadecimal: vector.nonce + vector.ciphertext + vector.tag))
        #expect(try ChaChaPoly.open(box, using: key, authenticating: authenticated) == vector.message)
        let again = try ChaChaPoly.SealedBox(combined: box.combined)
        #expect(try ChaChaPoly.open(again, using: key, authenticating: authenticated) == vector.message)
    }

    @Test func everythingThatIsChangedIsFoundOut() throws {
        let key = SymmetricKey(size: .bits256)
        let authenticated = Data("beside".utf8)
        let box = try ChaChaPoly.seal(Data("inside".utf8), using: key, authenticating: authenticated)
        func refused(_ box: ChaChaPoly.SealedBox, _ key: SymmetricKey, _ authenticated: Data) -> Bool {
            do {
                _ = try ChaChaPoly.open(box, using: key, authenticating: authenticated)
                return false
            } catch { return error as? CryptoKitError == .authenticationFailure }
        }
        for bit in 0..<box.combined.count * 8 {
            var combined = box.combined
            combined[bit / 8] ^= 1 << (bit % 8)
            #expect(refused(try ChaChaPoly.SealedBox(combined: combined), key, authenticated), "bit \(bit)")
        }
        for length in 28..<box.combined.count {
            #expect(refused(try ChaChaPoly.SealedBox(combined: box.combined.prefix(length)), key, authenticated))
        }
        #expect(refused(try ChaChaPoly.SealedBox(combined: box.combined + [0]), key, authenticated))
        #expect(refused(box, SymmetricKey(size: .bits256), authenticated))
        #expect(refused(box, key, Data("Beside".utf8)))
        #expect(refused(box, key, Data()))
        #expect(!refused(box, key, authenticated))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 64, 4096])
    func anyLengthComesBack(_ length: Int) throws {
        let key = SymmetricKey(size: .bits256)
        let message = Data((0..<length).map { UInt8(truncatingIfNeeded: $0) })
        let plain = try ChaChaPoly.seal(message, using: key)
        #expect(plain.ciphertext.count == length)
        #expect(try ChaChaPoly.open(plain, using: key) == message)
        let beside = try ChaChaPoly.seal(message, using: key, authenticating: message)
        #expect(try ChaChaPoly.open(beside, using: key, authenticating: message) == message)
    }

    @Test func onlyKeysNoncesAndBoxesOfTheRightLengthAreTaken() throws {
        let box = try ChaChaPoly.seal(Data(), using: SymmetricKey(size: .bits256))
        for size in [SymmetricKeySize.bits128, .bits192, .init(bitCount: 264)] {
            let key = SymmetricKey(size: size)
            #expect(throws: CryptoKitError.incorrectKeySize) { try ChaChaPoly.seal(Data(), using: key) }
            #expect(throws: CryptoKitError.incorrectKeySize) { try ChaChaPoly.open(box, using: key) }
        }
        for length in [0, 11, 13] {
            #expect(throws: CryptoKitError.incorrectParameterSize) {
                try ChaChaPoly.Nonce(data: Data(count: length))
            }
        }
        for length in [0, 15, 17] {
            #expect(throws: CryptoKitError.incorrectParameterSize) {
                try ChaChaPoly.SealedBox(nonce: box.nonce, ciphertext: Data(), tag: Data(count: length))
            }
        }
        #expect(throws: CryptoKitError.incorrectParameterSize) {
            try ChaChaPoly.SealedBox(combined: Data(count: 27))
        }
    }

    @Test func noncesThatNobodyGaveDiffer() throws {
        let key = SymmetricKey(size: .bits256)
        let boxes = try (0..<64).map { _ in try ChaChaPoly.seal(Data(), using: key) }
        #expect(Set(boxes.map { Data($0.nonce) }).count == boxes.count)
    }
}
