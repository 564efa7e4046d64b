import CryptoKit
import Foundation
import Testing

@Suite struct HKDFTests {
    /// A row of RFC 5869, appendix A.
    struct Vector: Sendable {
        var material, salt, info: Data
        var pseudoRandomKey, output: String
    }

    static let vectors = [
        Vector(
            material: Data(repeating: 0x0B, count: 22), salt: Data(0...0x0C), info: Data(0xF0...0xF9),
            pseudoRandomKey: "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
            output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
        Vector(
            material: Data(0...0x4F), salt: Data(0x60...0xAF), info: Data(0xB0...0xFF),
            pseudoRandomKey: "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
            output: """
                b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
                da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
                """),
        Vector(
            material: Data(repeating: 0x0B, count: 22), salt: Data(), info: Data(),
            pseudoRandomKey: "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
            output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
    ]

    private func bytes(_ key: SymmetricKey) -> Data { key.withUnsafeBytes { Data($0) } }

    @Test(arguments: vectors)
    func derivesAsTheRFCDoes(_ vector: Vector) {
        let material = SymmetricKey(data: vector.material)
        let output = Data(hexadecimal: vector.output)
        let extracted = HKDF<SHA256>.extract(inputKeyMaterial: material, salt: vector.salt)
        #expect(Data(extracted) == Data(hexadecimal: vector.pseudoRandomKey))
        let expanded = HKDF<SHA256>.expand(
            pseudoRandomKey: extracted, info: vector.info, outputByteCount: output.count)
        #expect(bytes(expanded) == output)
        let derived = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: material, salt: vector.salt, info: vector.info, outputByteCount: output.count)
        #expect(bytes(derived) == output)
    }

    @Test func whatIsLeftOutIsEmpty() {
        let material = SymmetricKey(data: Self.vectors[2].material)
        let output = Data(hexadecimal: Self.vectors[2].output)
        typealias Derivation = HKDF<SHA256>
        #expect(bytes(Derivation.deriveKey(inputKeyMaterial: material, outputByteCount: 42)) == output)
        #expect(bytes(Derivation.deriveKey(inputKeyMaterial: material, salt: Data(), outputByteCount: 42)) == output)
        #expect(bytes(Derivation.deriveKey(inputKeyMaterial: material, info: Data(), outputByteCount: 42)) == output)
        let extracted = Derivation.extract(inputKeyMaterial: material, salt: Data?.none)
        #expect(
            bytes(Derivation.expand(pseudoRandomKey: extracted, info: Data?.none, outputByteCount: 42)) == output)
    }

    @Test(arguments: [0, 1, 31, 32, 33, 64, 255 * 32])
    func aShorterKeyIsTheStartOfALongerOne(_ length: Int) {
        let material = SymmetricKey(size: .bits256)
        let longest = HKDF<SHA256>.deriveKey(inputKeyMaterial: material, outputByteCount: 255 * 32)
        let key = HKDF<SHA256>.deriveKey(inputKeyMaterial: material, outputByteCount: length)
        #expect(bytes(key) == bytes(longest).prefix(length))
        #expect(bytes(key).count == length)
    }
}
