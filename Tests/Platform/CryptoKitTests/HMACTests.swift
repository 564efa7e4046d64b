import CryptoKit
import Foundation
import Testing

@Suite struct HMACTests {
    /// A row of RFC 4231, section 4.
    struct Vector: Sendable {
        var key, message: Data
        var code: String
    }

    static let vectors = [
        Vector(
            key: Data(repeating: 0x0B, count: 20), message: Data("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Vector(
            key: Data("Jefe".utf8), message: Data("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Vector(
            key: Data(repeating: 0xAA, count: 20), message: Data(repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Vector(
            key: Data(1...25), message: Data(repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Vector(
            key: Data(repeating: 0xAA, count: 131),
            message: Data("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Vector(
            key: Data(repeating: 0xAA, count: 131),
            message: Data(
                """
                This is a test using a larger than block-size key and a larger than block-size data. The key needs to \
                be hashed before being used by the HMAC algorithm.
                """.utf8),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]

    @Test(arguments: vectors)
    func authenticatesAsTheRFCDoes(_ vector: Vector) {
        let key = SymmetricKey(data: vector.key)
        let code = HMAC<SHA256>.authenticationCode(for: vector.message, using: key)
        #expect(Data(code) == Data(hexadecimal: vector.code))
        #expect(HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: vector.message, using: key))
        #expect(!HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: vector.message + [0], using: key))
        #expect(
            !HMAC<SHA256>.isValidAuthenticationCode(
                Data(code).dropLast(), authenticating: vector.message, using: key))
    }

    @Test func piecesGiveTheCodeOfTheWhole() {
        let key = SymmetricKey(size: .bits256)
        var hmac = HMAC<SHA256>(key: key)
        hmac.update(data: Data("one ".utf8))
        hmac.update(data: Data("two".utf8))
        #expect(hmac.finalize() == HMAC<SHA256>.authenticationCode(for: Data("one two".utf8), using: key))
    }
}

@Suite struct SymmetricKeyTests {
    @Test func newKeysHaveTheirLengthAndDiffer() {
        let keys = (0..<64).map { _ in SymmetricKey(size: .bits256) }
        #expect(keys.allSatisfy { $0.bitCount == 256 })
        #expect(Set(keys.map { key in key.withUnsafeBytes { Data($0) } }).count == keys.count)
        #expect(keys[0] == keys[0])
        #expect(keys[0] != keys[1])
        #expect(SymmetricKey(size: .bits128) != keys[0])
    }

    @Test func anEmptyKeyIsAKey() {
        let key = SymmetricKey(data: Data())
        #expect(key.bitCount == 0)
        #expect(key == SymmetricKey(data: Data()))
    }

    @Test func printingShowsNothingOfTheKey() {
        let key = SymmetricKey(data: Data("canary-canary-canary".utf8))
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "SymmetricKey(160 bits)")
        #expect(!dumped.contains("canary") && !dumped.contains("99"))
    }
}
