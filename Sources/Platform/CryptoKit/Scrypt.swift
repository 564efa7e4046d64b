import COpenSSL
public import Foundation

/// A key from a password at a price in time and memory (RFC 7914), which a guesser pays for every guess.
///
/// Beyond Apple's framework, which has no function for passwords.
public enum Scrypt {
    /// Stretches a password. Takes long on purpose: some 50 ms for a cost of 16384 and a block size of 8. Run it where
    /// nothing waits for it.
    /// - Parameters:
    ///   - password: Any length.
    ///   - salt: What makes one table of guesses useless for the next password.
    ///   - cost: N, a power of 2 above 1. The call takes 128 · N · r bytes of memory: check a number that came from
    ///     somebody else before.
    ///   - blockSize: r, from 1.
    ///   - parallelism: p, from 1; multiplies the time, not the memory.
    ///   - outputByteCount: The length of the key.
    /// - Throws: ``CryptoKitError/incorrectParameterSize`` for a number outside what RFC 7914 allows;
    ///   ``CryptoKitError/underlyingCoreCryptoError(error:)`` when memory runs out.
    public static func deriveKey(
        password: some ContiguousBytes, salt: some DataProtocol, cost: Int, blockSize: Int, parallelism: Int,
        outputByteCount: Int
    ) throws -> SymmetricKey {
        guard cost > 1, cost.nonzeroBitCount == 1, blockSize > 0, parallelism > 0, outputByteCount > 0,
            let memory = memory(cost: cost, blockSize: blockSize, parallelism: parallelism)
        else { throw CryptoKitError.incorrectParameterSize }
        let salt = Array(salt)
        var result: Int32 = 0
        let key = SymmetricKey(byteCount: outputByteCount) { output in
            result = password.withUnsafeBytes { password in
                EVP_PBE_scrypt(
                    password.bindMemory(to: CChar.self).baseAddress, password.count, salt, salt.count, UInt64(cost),
                    UInt64(blockSize), UInt64(parallelism), memory, output.bindMemory(to: UInt8.self).baseAddress,
                    output.count)
            }
        }
        guard result == 1 else { throw CryptoKitError.fromLibrary() }
        return key
    }

    /// What the library is allowed to take, in bytes: its two work areas and the blocks. Nil when nothing can be that
    /// large.
    private static func memory(cost: Int, blockSize: Int, parallelism: Int) -> UInt64? {
        let (blocks, tooMany) = cost.addingReportingOverflow(2)
        let (all, tooManyInAll) = blocks.addingReportingOverflow(parallelism)
        let (block, tooLarge) = blockSize.multipliedReportingOverflow(by: 128)
        let (bytes, tooLargeInAll) = all.multipliedReportingOverflow(by: block)
        return tooMany || tooManyInAll || tooLarge || tooLargeInAll ? nil : UInt64(bytes)
    }
}
