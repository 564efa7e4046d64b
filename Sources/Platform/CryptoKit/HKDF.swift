public import Foundation

/// Keys from a secret (RFC 5869): extract a key from material that is secret but not even, then expand it to any length.
///
/// Not for passwords: it costs a guesser nothing. See ``Scrypt``.
public struct HKDF<H: HashFunction>: Sendable {
    /// Extracts and expands.
    /// - Parameters:
    ///   - inputKeyMaterial: The secret.
    ///   - salt: Need not be secret; may be empty.
    ///   - info: What the key is for: other information gives an independent key.
    ///   - outputByteCount: At most 255 times the digest's length.
    public static func deriveKey<Salt: DataProtocol, Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey, salt: Salt, info: Info, outputByteCount: Int
    ) -> SymmetricKey {
        expand(
            pseudoRandomKey: extract(inputKeyMaterial: inputKeyMaterial, salt: salt), info: info,
            outputByteCount: outputByteCount)
    }

    /// Extracts without a salt and expands.
    public static func deriveKey<Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey, info: Info, outputByteCount: Int
    ) -> SymmetricKey {
        deriveKey(inputKeyMaterial: inputKeyMaterial, salt: Data(), info: info, outputByteCount: outputByteCount)
    }

    /// Extracts and expands without information.
    public static func deriveKey<Salt: DataProtocol>(
        inputKeyMaterial: SymmetricKey, salt: Salt, outputByteCount: Int
    ) -> SymmetricKey {
        deriveKey(inputKeyMaterial: inputKeyMaterial, salt: salt, info: Data(), outputByteCount: outputByteCount)
    }

    /// Extracts without a salt and expands without information.
    public static func deriveKey(inputKeyMaterial: SymmetricKey, outputByteCount: Int) -> SymmetricKey {
        deriveKey(inputKeyMaterial: inputKeyMaterial, salt: Data(), info: Data(), outputByteCount: outputByteCount)
    }

    /// The first half: an even key out of the secret.
    /// - Parameter salt: None is as good as a digest's length of zeros.
    public static func extract<Salt: DataProtocol>(
        inputKeyMaterial: SymmetricKey, salt: Salt?
    ) -> HashedAuthenticationCode<H> {
        let salt = salt.map { SymmetricKey(data: Data($0)) } ?? SymmetricKey(data: Data())
        return inputKeyMaterial.withUnsafeBytes { HMAC<H>.authenticationCode(for: $0, using: salt) }
    }

    /// The second half: as many bytes as wanted out of an even key.
    /// - Parameter outputByteCount: At most 255 times the digest's length.
    public static func expand<PRK: ContiguousBytes, Info: DataProtocol>(
        pseudoRandomKey prk: PRK, info: Info?, outputByteCount: Int
    ) -> SymmetricKey {
        precondition(
            (0...255 * H.Digest.byteCount).contains(outputByteCount),
            "HKDF gives at most \(255 * H.Digest.byteCount) bytes")
        let key = SymmetricKey(data: prk)
        return SymmetricKey(byteCount: outputByteCount) { output in
            var block: HashedAuthenticationCode<H>?
            var counter: UInt8 = 0
            var offset = 0
            while offset < output.count {
                counter += 1
                var hmac = HMAC<H>(key: key)
                block?.withUnsafeBytes { hmac.update(data: $0) }
                if let info { hmac.update(data: info) }
                hmac.update(data: [counter])
                let next = hmac.finalize()
                next.withUnsafeBytes { bytes in
                    let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(output.count - offset))
                    UnsafeMutableRawBufferPointer(rebasing: output[offset...]).copyMemory(from: piece)
                    offset += piece.count
                }
                block = next
            }
        }
    }
}
