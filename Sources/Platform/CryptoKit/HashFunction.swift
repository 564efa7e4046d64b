public import Foundation

/// A cryptographic hash function, fed piece by piece.
public protocol HashFunction: Sendable {
    /// What the function gives.
    associatedtype Digest: CryptoKit.Digest
    /// The size of the blocks that the function works on, in bytes; HMAC needs it.
    static var blockByteCount: Int { get }
    /// Starts on an empty message.
    init()
    /// Appends the bytes at `bufferPointer` to the message.
    ///
    /// The one requirement with a pointer, as in Apple's framework; callers use ``update(data:)``.
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    /// The digest of the message so far; the message can still be continued.
    func finalize() -> Digest
}

extension HashFunction {
    /// Appends `data` to the message.
    public mutating func update(data: some DataProtocol) {
        for region in data.regions {
            region.withUnsafeBytes { update(bufferPointer: $0) }
        }
    }

    /// The digest of `data`.
    public static func hash(data: some DataProtocol) -> Digest {
        var function = Self()
        function.update(data: data)
        return function.finalize()
    }
}
