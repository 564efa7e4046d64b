import CryptoKit
import Foundation
import Testing

@Suite struct SHA256Tests {
    /// RFC 6234, section 8.5, and FIPS 180-4's own examples.
    static let vectors: [(message: Data, digest: String)] = [
        (Data(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (Data("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            Data("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            Data(String(repeating: "a", count: 1_000_000).utf8),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
        (
            Data(String(repeating: "0123456701234567012345670123456701234567012345670123456701234567", count: 10).utf8),
            "594847328451bdfa85056225462cc1d867d877fb388df0ce35f25ab5562bfbb5"
        ),
        (Data(hexadecimal: "19"), "68aa2e2ee5dff96e3355e6c7ee373e3d6a4e17f75f9518d843709c0c9bc3e3d4"),
    ]

    @Test(arguments: vectors.indices)
    func digestsAsTheStandardDoes(_ index: Int) {
        let (message, expected) = Self.vectors[index]
        #expect(Data(SHA256.hash(data: message)) == Data(hexadecimal: expected))
        #expect(SHA256.hash(data: message) == Data(hexadecimal: expected))
    }

    @Test(arguments: [1, 3, 63, 64, 65, 1000])
    func piecesGiveTheDigestOfTheWhole(_ size: Int) {
        let message = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var hash = SHA256()
        var rest = message[...]
        while !rest.isEmpty {
            hash.update(data: rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        #expect(hash.finalize() == SHA256.hash(data: message))
    }

    @Test func aCopyGoesItsOwnWay() {
        var first = SHA256()
        first.update(data: Data("ab".utf8))
        var second = first
        second.update(data: Data("x".utf8))
        first.update(data: Data("c".utf8))
        #expect(first.finalize() == SHA256.hash(data: Data("abc".utf8)))
        #expect(second.finalize() == SHA256.hash(data: Data("abx".utf8)))
    }

    @Test func finalizingLeavesTheMessageOpen() {
        var hash = SHA256()
        hash.update(data: Data("a".utf8))
        #expect(hash.finalize() == SHA256.hash(data: Data("a".utf8)))
        hash.update(data: Data("bc".utf8))
        #expect(hash.finalize() == SHA256.hash(data: Data("abc".utf8)))
    }

    @Test func digestsOfDifferentLengthOrContentAreUnequal() {
        let digest = SHA256.hash(data: Data("abc".utf8))
        var bytes = Data(digest)
        #expect(digest == bytes)
        #expect(digest != bytes.dropLast())
        bytes[31] ^= 1
        #expect(digest != bytes)
    }

    @Test func describesItselfInHexadecimal() {
        let digest = SHA256.hash(data: Data("abc".utf8))
        #expect(
            "\(digest)"
                == "SHA256Digest: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
