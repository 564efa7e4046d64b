import COpenSSL

/// SHA-256 (FIPS 180-4, RFC 6234).
///
/// A value type: a copy continues on its own. Not for concurrent mutation, like any value.
public struct SHA256: HashFunction {
    /// 64.
    public static var blockByteCount: Int { 64 }
    /// 32.
    public static var byteCount: Int { SHA256Digest.byteCount }

    private var state = State()

    /// Starts on an empty message.
    public init() {}

    /// Appends the bytes at `bufferPointer` to the message.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&state) { state = State(copying: state) }
        state.update(bufferPointer)
    }

    /// The digest of the message so far; the message can still be continued.
    public func finalize() -> SHA256Digest { State(copying: state).finish() }

    /// The library's context.
    ///
    /// Unchecked because it is changed only by the one value that refers to it (copy on write, above) or before anyone
    /// else has it, and is otherwise only read.
    private final class State: @unchecked Sendable {
        private let context: OpaquePointer

        init() {
            context = Self.allocate()
            let result = EVP_DigestInit_ex(context, EVP_sha256(), nil)
            precondition(result == 1, "libcrypto has no SHA-256: \(lastLibraryError())")
        }

        init(copying other: State) {
            context = Self.allocate()
            let result = EVP_MD_CTX_copy_ex(context, other.context)
            precondition(result == 1, "a hash state could not be copied: \(lastLibraryError())")
        }

        deinit { EVP_MD_CTX_free(context) }

        func update(_ bytes: UnsafeRawBufferPointer) {
            let result = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
            precondition(result == 1, "hashing failed: \(lastLibraryError())")
        }

        func finish() -> SHA256Digest {
            var bytes = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
            let result = EVP_DigestFinal_ex(context, &bytes, nil)
            precondition(result == 1, "hashing failed: \(lastLibraryError())")
            return SHA256Digest(bytes: bytes)
        }

        private static func allocate() -> OpaquePointer {
            guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory for a hash state") }
            return context
        }
    }
}

/// The 32 bytes that SHA-256 gives.
public struct SHA256Digest: Digest {
    /// 32.
    public static var byteCount: Int { 32 }

    fileprivate let bytes: [UInt8]

    /// Lends the bytes for the time of the call.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// Feeds the bytes to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
