import CryptoKit
import Foundation
import Testing

@Suite struct Curve25519Tests {
    /// A row of RFC 8032, section 7.1.
    struct Vector: Sendable {
        var secret, publicKey, message, signature: String
    }

    static let vectors = [
        Vector(
            secret: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            message: "",
            signature: """
                e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b\
                d25bf5f0595bbe24655141438e7a100b
                """),
        Vector(
            secret: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            message: "72",
            signature: """
                92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c\
                387b2eaeb4302aeeb00d291612bb0c00
                """),
        Vector(
            secret: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            message: "af82",
            signature: """
                6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659\
                4a7c15e9716ed28dc027beceea1ec40a
                """),
        Vector(
            secret: "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
            publicKey: "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
            message: """
                ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd\
                454d4423643ce80e2a9ac94fa54ca49f
                """,
            signature: """
                dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030\
                3dca179c138ac17ad9bef1177331a704
                """),
    ]

    @Test(arguments: vectors)
    func signsAsTheRFCDoes(_ vector: Vector) throws {
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: Data(hexadecimal: vector.secret))
        let message = Data(hexadecimal: vector.message)
        #expect(key.publicKey.rawRepresentation == Data(hexadecimal: vector.publicKey))
        #expect(try key.signature(for: message) == Data(hexadecimal: vector.signature))
        #expect(key.rawRepresentation == Data(hexadecimal: vector.secret))
    }

    @Test(arguments: vectors)
    func verifiesAsTheRFCDoes(_ vector: Vector) throws {
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: Data(hexadecimal: vector.publicKey))
        let signature = Data(hexadecimal: vector.signature)
        let message = Data(hexadecimal: vector.message)
        #expect(key.isValidSignature(signature, for: message))
        #expect(!key.isValidSignature(signature, for: message + [0]))
        #expect(!key.isValidSignature(signature.dropLast(), for: message))
        #expect(!key.isValidSignature(Data(), for: message))
        for position in [0, 31, 32, 63] {
            var altered = signature
            altered[position] ^= 1
            #expect(!key.isValidSignature(altered, for: message), "byte \(position) altered")
        }
    }

    @Test func refusesTheSignatureOfAnotherKey() throws {
        let message = Data("hello".utf8)
        let signature = try Curve25519.Signing.PrivateKey().signature(for: message)
        #expect(!Curve25519.Signing.PrivateKey().publicKey.isValidSignature(signature, for: message))
    }

    @Test func newKeysDifferAndComeBackFromTheirBytes() throws {
        let first = Curve25519.Signing.PrivateKey()
        let second = Curve25519.Signing.PrivateKey()
        #expect(first.rawRepresentation != second.rawRepresentation)
        let copy = try Curve25519.Signing.PrivateKey(rawRepresentation: first.rawRepresentation)
        #expect(copy.publicKey.rawRepresentation == first.publicKey.rawRepresentation)
    }

    @Test(arguments: [0, 31, 33, 64])
    func refusesKeysOfAnotherLength(_ count: Int) {
        let bytes = Data(count: count)
        #expect(throws: CryptoKitError.incorrectKeySize) {
            _ = try Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
        }
        #expect(throws: CryptoKitError.incorrectKeySize) {
            _ = try Curve25519.Signing.PublicKey(rawRepresentation: bytes)
        }
    }

    @Test func bytesThatAreNoPointVerifyNothing() throws {
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: Data(repeating: 0xFF, count: 32))
        #expect(!key.isValidSignature(Data(count: 64), for: Data()))
    }

    @Test func printingShowsNothingOfTheKey() {
        let key = Curve25519.Signing.PrivateKey()
        let secret = key.rawRepresentation
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains(secret.base64EncodedString()))
            #expect(!text.contains(secret.map { String($0) }.joined(separator: ", ")))
        }
        #expect("\(key)" == "Curve25519.Signing.PrivateKey(<redacted>)")
    }

    @Test func oneKeySignsOnManyThreads() async throws {
        let key = Curve25519.Signing.PrivateKey()
        let signatures = try await withThrowingTaskGroup(of: (Data, Data).self) { group in
            for number in 0..<200 {
                group.addTask {
                    let message = Data("message \(number)".utf8)
                    return (message, try key.signature(for: message))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(signatures.count == 200)
        #expect(signatures.allSatisfy { key.publicKey.isValidSignature($0.1, for: $0.0) })
    }
}
