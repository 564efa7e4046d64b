import COpenSSL
public import Foundation

/// ChaCha20-Poly1305 (RFC 8439): encryption that also proves who encrypted.
///
/// One nonce must never serve twice under one key: two messages under one nonce give away both, and the means to forge.
public enum ChaChaPoly: Sendable {
    fileprivate static let keyByteCount = 32
    fileprivate static let tagByteCount = 16
    fileprivate static let nonceByteCount = 12

    /// Encrypts a message and authenticates it together with data that stay readable.
    /// - Parameters:
    ///   - message: What nobody else may read.
    ///   - key: 256 bits.
    ///   - nonce: Not used before under this key. Nil means a random one, which is good for some billions of messages.
    ///   - authenticatedData: What ``open(_:using:authenticating:)`` has to be given again.
    /// - Throws: ``CryptoKitError/incorrectKeySize``; ``CryptoKitError/incorrectParameterSize`` above 2 GB;
    ///   ``CryptoKitError/underlyingCoreCryptoError(error:)`` when memory runs out.
    public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
        _ message: Plaintext, using key: SymmetricKey, nonce: Nonce? = nil,
        authenticating authenticatedData: AuthenticatedData
    ) throws -> SealedBox {
        let nonce = nonce ?? Nonce()
        let cipher = try Cipher(key: key, nonce: nonce, encrypts: true)
        try cipher.authenticate(Data(authenticatedData))
        let ciphertext = try cipher.process(Data(message))
        guard try cipher.finish() else { throw CryptoKitError.fromLibrary() }
        return SealedBox(nonce: nonce, ciphertext: ciphertext, checkedTag: try cipher.tag())
    }

    /// Encrypts and authenticates a message.
    /// - Throws: As ``seal(_:using:nonce:authenticating:)``.
    public static func seal<Plaintext: DataProtocol>(
        _ message: Plaintext, using key: SymmetricKey, nonce: Nonce? = nil
    ) throws -> SealedBox {
        try seal(message, using: key, nonce: nonce, authenticating: Data())
    }

    /// Checks and decrypts.
    /// - Throws: ``CryptoKitError/authenticationFailure`` when the box, the data beside it or the key is another one:
    ///   nothing of the message is given out then. Else as ``seal(_:using:nonce:authenticating:)``.
    public static func open<AuthenticatedData: DataProtocol>(
        _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: AuthenticatedData
    ) throws -> Data {
        let cipher = try Cipher(key: key, nonce: sealedBox.nonce, encrypts: false)
        try cipher.authenticate(Data(authenticatedData))
        var message = try cipher.process(sealedBox.ciphertext)
        try cipher.expect(tag: sealedBox.tag)
        guard try cipher.finish() else {
            message.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
            ERR_clear_error()
            throw CryptoKitError.authenticationFailure
        }
        return message
    }

    /// Checks and decrypts a box that was sealed without further data.
    /// - Throws: As ``open(_:using:authenticating:)``.
    public static func open(_ sealedBox: SealedBox, using key: SymmetricKey) throws -> Data {
        try open(sealedBox, using: key, authenticating: Data())
    }

    /// The number that makes a message's encryption its own: 12 bytes.
    public struct Nonce: Sendable, ContiguousBytes, Sequence {
        fileprivate let bytes: [UInt8]

        /// A random nonce.
        public init() {
            var random = SystemRandomNumberGenerator()
            bytes = (0..<ChaChaPoly.nonceByteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }

        /// A given nonce.
        /// - Throws: ``CryptoKitError/incorrectParameterSize`` unless it is 12 bytes.
        public init(data: some DataProtocol) throws {
            guard data.count == ChaChaPoly.nonceByteCount else { throw CryptoKitError.incorrectParameterSize }
            bytes = Array(data)
        }

        /// Lends the bytes for the time of the call.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try bytes.withUnsafeBytes(body)
        }

        /// Iterates over the bytes.
        public func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }
    }

    /// An encrypted message with what opening it needs beside the key.
    public struct SealedBox: Sendable {
        /// The nonce it was sealed with.
        public let nonce: Nonce
        /// The encrypted message, as long as the message.
        public let ciphertext: Data
        /// What proves it: 16 bytes.
        public let tag: Data

        fileprivate init(nonce: Nonce, ciphertext: Data, checkedTag: Data) {
            self.nonce = nonce
            self.ciphertext = ciphertext
            tag = checkedTag
        }

        /// A box out of its parts.
        /// - Throws: ``CryptoKitError/incorrectParameterSize`` unless the tag is 16 bytes.
        public init(nonce: Nonce, ciphertext: some DataProtocol, tag: some DataProtocol) throws {
            guard tag.count == ChaChaPoly.tagByteCount else { throw CryptoKitError.incorrectParameterSize }
            self.init(nonce: nonce, ciphertext: Data(ciphertext), checkedTag: Data(tag))
        }

        /// A box as ``combined`` gives it.
        /// - Throws: ``CryptoKitError/incorrectParameterSize`` below 28 bytes.
        public init(combined: some DataProtocol) throws {
            guard combined.count >= ChaChaPoly.nonceByteCount + ChaChaPoly.tagByteCount else {
                throw CryptoKitError.incorrectParameterSize
            }
            let bytes = Data(combined)
            self.init(
                nonce: try Nonce(data: bytes.prefix(ChaChaPoly.nonceByteCount)),
                ciphertext: Data(bytes.dropFirst(ChaChaPoly.nonceByteCount).dropLast(ChaChaPoly.tagByteCount)),
                checkedTag: Data(bytes.suffix(ChaChaPoly.tagByteCount)))
        }

        /// Nonce, ciphertext and tag in a row.
        public var combined: Data { Data(nonce.bytes) + ciphertext + tag }
    }
}

/// The library's context for one message. Stays on the stack of one call.
private final class Cipher {
    private let context: OpaquePointer

    init(key: SymmetricKey, nonce: ChaChaPoly.Nonce, encrypts: Bool) throws(CryptoKitError) {
        guard key.bitCount == ChaChaPoly.keyByteCount * 8 else { throw .incorrectKeySize }
        guard let context = EVP_CIPHER_CTX_new() else { throw .fromLibrary() }
        self.context = context
        let result = key.withUnsafeBytes { key in
            EVP_CipherInit_ex(
                context, EVP_chacha20_poly1305(), nil, key.bindMemory(to: UInt8.self).baseAddress, nonce.bytes,
                encrypts ? 1 : 0)
        }
        guard result == 1 else { throw .fromLibrary() }
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    func authenticate(_ data: Data) throws(CryptoKitError) {
        // The library takes a call without output and without input for the end of the message.
        guard !data.isEmpty else { return }
        guard let count = Int32(exactly: data.count) else { throw .incorrectParameterSize }
        var written: Int32 = 0
        let result = data.withUnsafeBytes {
            EVP_CipherUpdate(context, nil, &written, $0.bindMemory(to: UInt8.self).baseAddress, count)
        }
        guard result == 1 else { throw .fromLibrary() }
    }

    func process(_ input: Data) throws(CryptoKitError) -> Data {
        guard !input.isEmpty else { return Data() }
        guard let count = Int32(exactly: input.count) else { throw .incorrectParameterSize }
        var written: Int32 = 0
        var output = Data(count: input.count)
        let result = output.withUnsafeMutableBytes { output in
            input.withUnsafeBytes { input in
                EVP_CipherUpdate(
                    context, output.bindMemory(to: UInt8.self).baseAddress, &written,
                    input.bindMemory(to: UInt8.self).baseAddress, count)
            }
        }
        guard result == 1, written == count else { throw .fromLibrary() }
        return output
    }

    func expect(tag: Data) throws(CryptoKitError) {
        var tag = Array(tag)
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1 else {
            throw .fromLibrary()
        }
    }

    /// False when the tag is wrong.
    func finish() throws(CryptoKitError) -> Bool {
        var written: Int32 = 0
        var nothing: [UInt8] = [0]
        return EVP_CipherFinal_ex(context, &nothing, &written) == 1
    }

    func tag() throws(CryptoKitError) -> Data {
        var tag = [UInt8](repeating: 0, count: ChaChaPoly.tagByteCount)
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1 else {
            throw .fromLibrary()
        }
        return Data(tag)
    }
}
