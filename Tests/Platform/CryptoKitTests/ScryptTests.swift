import CryptoKit
import Foundation
import Testing

@Suite struct ScryptTests {
    /// A row of RFC 7914, section 12. Its last one takes a gigabyte of memory and is left out.
    struct Vector: Sendable {
        var password, salt: String
        var cost, blockSize, parallelism: Int
        var key: String
    }

    static let vectors = [
        Vector(
            password: "", salt: "", cost: 16, blockSize: 1, parallelism: 1,
            key: """
                77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17\
                e8d3e0fb2e0d3628cf35e20c38d18906
                """),
        Vector(
            password: "password", salt: "NaCl", cost: 1024, blockSize: 8, parallelism: 16,
            key: """
                fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830da\
                c727afb94a83ee6d8360cbdfa2cc0640
                """),
        Vector(
            password: "pleaseletmein", salt: "SodiumChloride", cost: 16384, blockSize: 8, parallelism: 1,
            key: """
                7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9\
                e61e85dc0d651e40dfcf017b45575887
                """),
    ]

    @Test(arguments: vectors)
    func derivesAsTheRFCDoes(_ vector: Vector) throws {
        let key = try Scrypt.deriveKey(
            password: Data(vector.password.utf8), salt: Data(vector.salt.utf8), cost: vector.cost,
            blockSize: vector.blockSize, parallelism: vector.parallelism, outputByteCount: 64)
        #expect(key == SymmetricKey(data: Data(hexadecimal: vector.key)))
    }

    @Test(arguments: [
        (0, 8, 1), (1, 8, 1), (3, 8, 1), (1000, 8, 1), (-2, 8, 1), (1024, 0, 1), (1024, -1, 1), (1024, 8, 0),
        (1 << 62, 8, 1), (1024, 1 << 60, 1), (1024, 8, Int.max),
    ])
    func impossibleNumbersAreRefused(cost: Int, blockSize: Int, parallelism: Int) {
        #expect(throws: CryptoKitError.incorrectParameterSize) {
            try Scrypt.deriveKey(
                password: Data(), salt: Data(), cost: cost, blockSize: blockSize, parallelism: parallelism,
                outputByteCount: 32)
        }
    }

    @Test func numbersThatTheRFCForbidsAreRefusedByTheLibrary() {
        // With r = 1 the cost has to be below 2^16.
        #expect(throws: CryptoKitError.self) {
            try Scrypt.deriveKey(
                password: Data(), salt: Data(), cost: 1 << 16, blockSize: 1, parallelism: 1, outputByteCount: 32)
        }
        #expect(throws: CryptoKitError.incorrectParameterSize) {
            try Scrypt.deriveKey(
                password: Data(), salt: Data(), cost: 16, blockSize: 1, parallelism: 1, outputByteCount: 0)
        }
    }
}
