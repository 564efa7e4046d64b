public import Foundation

/// A keyed hash (RFC 2104) over any ``HashFunction``.
public struct HMAC<H: HashFunction>: Sendable {
    /// The type of key.
    public typealias Key = SymmetricKey
    /// The type of code.
    public typealias MAC = HashedAuthenticationCode<H>

    private var inner: H
    private let outer: H

    /// Starts on an empty message under `key`, of any length.
    public init(key: SymmetricKey) {
        var block = [UInt8](repeating: 0, count: H.blockByteCount)
        key.withUnsafeBytes { bytes in
            if bytes.count > H.blockByteCount {
                for (index, byte) in H.hash(data: bytes).enumerated() { block[index] = byte }
            } else {
                for (index, byte) in bytes.enumerated() { block[index] = byte }
            }
        }
        for index in block.indices { block[index] ^= 0x36 }
        inner = H()
        inner.update(data: block)
        for index in block.indices { block[index] ^= 0x36 ^ 0x5C }
        var outer = H()
        outer.update(data: block)
        self.outer = outer
        wipe(&block)
    }

    /// Appends `data` to the message.
    public mutating func update(data: some DataProtocol) { inner.update(data: data) }

    /// The code of the message so far.
    public func finalize() -> MAC {
        var outer = outer
        outer.update(data: Array(inner.finalize()))
        return MAC(digest: outer.finalize())
    }

    /// The code of `data` under `key`.
    public static func authenticationCode(for data: some DataProtocol, using key: SymmetricKey) -> MAC {
        var hmac = HMAC(key: key)
        hmac.update(data: data)
        return hmac.finalize()
    }

    /// Checks a code in constant time.
    public static func isValidAuthenticationCode(
        _ code: some ContiguousBytes, authenticating data: some DataProtocol, using key: SymmetricKey
    ) -> Bool {
        constantTimeEqual(authenticationCode(for: data, using: key), code)
    }
}

/// A code made by ``HMAC``; `==` takes constant time.
public struct HashedAuthenticationCode<H: HashFunction>: Hashable, ContiguousBytes, Sequence, Sendable {
    fileprivate let digest: H.Digest

    /// The number of bytes.
    public var byteCount: Int { H.Digest.byteCount }

    /// Lends the bytes for the time of the call.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try digest.withUnsafeBytes(body)
    }

    /// Iterates over the bytes.
    public func makeIterator() -> Array<UInt8>.Iterator { Array(digest).makeIterator() }
}
