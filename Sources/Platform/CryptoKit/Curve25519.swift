import COpenSSL
public import Foundation

/// The curve behind Ed25519.
public enum Curve25519 {
    /// Signatures: Ed25519 (RFC 8032).
    public enum Signing {
        /// A key that signs.
        ///
        /// Immutable and safe to use from any thread. The secret stays inside libcrypto, which wipes it when the last
        /// copy goes; printing shows nothing of it.
        public struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
            private let key: EdwardsKey

            /// A new key from the system's random source.
            public init() {
                do {
                    key = try SymmetricKey(size: .bits256).withUnsafeBytes { try EdwardsKey(secret: $0) }
                } catch {
                    preconditionFailure("libcrypto cannot make an Ed25519 key: \(error)")
                }
            }

            /// The key with the given 32-byte seed.
            /// - Throws: ``CryptoKitError/incorrectKeySize`` for any other length.
            public init(rawRepresentation: some ContiguousBytes) throws {
                key = try rawRepresentation.withUnsafeBytes { try EdwardsKey(secret: $0) }
            }

            /// The 32-byte seed. Keep it where only its owner can read it.
            public var rawRepresentation: Data { key.secretBytes() }

            /// The key that checks this key's signatures.
            public var publicKey: PublicKey { PublicKey(key: key) }

            /// Signs `data`: 64 bytes.
            ///
            /// The result is what RFC 8032 gives, the same each time; Apple's framework adds randomness.
            /// - Throws: ``CryptoKitError/underlyingCoreCryptoError(error:)`` when memory runs out.
            public func signature(for data: some DataProtocol) throws -> Data { try key.sign(Data(data)) }

            /// Names the type only.
            public var description: String { "Curve25519.Signing.PrivateKey(<redacted>)" }
            /// Shows nothing of the key to `dump` and debuggers.
            public var customMirror: Mirror { Mirror(self, children: ["key": "<redacted>"]) }
        }

        /// A key that checks signatures. Immutable and safe to use from any thread.
        public struct PublicKey: Sendable {
            private let key: EdwardsKey

            fileprivate init(key: EdwardsKey) { self.key = key }

            /// The key with the given 32 bytes.
            ///
            /// Whether they are a point of the curve is found out when a signature is checked: none is valid if not.
            /// - Throws: ``CryptoKitError/incorrectKeySize`` for any other length.
            public init(rawRepresentation: some ContiguousBytes) throws {
                key = try rawRepresentation.withUnsafeBytes { try EdwardsKey(public: $0) }
            }

            /// The 32 bytes.
            public var rawRepresentation: Data { key.publicBytes() }

            /// True when the private half of this key signed exactly `data`.
            public func isValidSignature(_ signature: some DataProtocol, for data: some DataProtocol) -> Bool {
                key.verifies(Data(signature), Data(data))
            }
        }
    }
}

/// The library's key object.
///
/// Unchecked because it is never changed after `init`; libcrypto allows concurrent use of a key that nobody changes.
private final class EdwardsKey: @unchecked Sendable {
    private static let keyLength = 32
    private static let signatureLength = 64
    private static let algorithm = "ED25519"

    private let key: OpaquePointer

    init(secret: UnsafeRawBufferPointer) throws(CryptoKitError) {
        guard secret.count == Self.keyLength else { throw .incorrectKeySize }
        let bytes = secret.bindMemory(to: UInt8.self)
        guard let key = EVP_PKEY_new_raw_private_key_ex(nil, Self.algorithm, nil, bytes.baseAddress, bytes.count)
        else { throw .fromLibrary() }
        self.key = key
    }

    init(public raw: UnsafeRawBufferPointer) throws(CryptoKitError) {
        guard raw.count == Self.keyLength else { throw .incorrectKeySize }
        let bytes = raw.bindMemory(to: UInt8.self)
        guard let key = EVP_PKEY_new_raw_public_key_ex(nil, Self.algorithm, nil, bytes.baseAddress, bytes.count)
        else { throw .fromLibrary() }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    func secretBytes() -> Data { raw(EVP_PKEY_get_raw_private_key) }
    func publicBytes() -> Data { raw(EVP_PKEY_get_raw_public_key) }

    private func raw(
        _ read: (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?) -> Int32
    ) -> Data {
        var length = Self.keyLength
        var data = Data(count: length)
        let result = data.withUnsafeMutableBytes { bytes in
            read(key, bytes.bindMemory(to: UInt8.self).baseAddress, &length)
        }
        precondition(result == 1 && length == Self.keyLength, "an Ed25519 key lost its bytes: \(lastLibraryError())")
        return data
    }

    func sign(_ message: Data) throws(CryptoKitError) -> Data {
        guard let context = EVP_MD_CTX_new() else { throw .fromLibrary() }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit_ex(context, nil, nil, nil, nil, key, nil) == 1 else { throw .fromLibrary() }
        var length = Self.signatureLength
        var signature = Data(count: length)
        let result = signature.withUnsafeMutableBytes { signature in
            message.withUnsafeBytes { message in
                EVP_DigestSign(
                    context, signature.bindMemory(to: UInt8.self).baseAddress, &length,
                    message.bindMemory(to: UInt8.self).baseAddress, message.count)
            }
        }
        guard result == 1, length == Self.signatureLength else { throw .fromLibrary() }
        return signature
    }

    func verifies(_ signature: Data, _ message: Data) -> Bool {
        guard signature.count == Self.signatureLength, let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, key, nil) == 1 else { return false }
        return signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { message in
                EVP_DigestVerify(
                    context, signature.bindMemory(to: UInt8.self).baseAddress, signature.count,
                    message.bindMemory(to: UInt8.self).baseAddress, message.count) == 1
            }
        }
    }
}
