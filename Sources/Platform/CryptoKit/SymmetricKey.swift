import COpenSSL
public import Foundation

/// The length of a symmetric key.
public struct SymmetricKeySize: Sendable {
    /// The length in bits.
    public let bitCount: Int
    /// A length of `bitCount`, a positive multiple of 8.
    public init(bitCount: Int) {
        precondition(bitCount > 0 && bitCount.isMultiple(of: 8), "a key has whole bytes")
        self.bitCount = bitCount
    }
    /// 128 bits.
    public static let bits128 = SymmetricKeySize(bitCount: 128)
    /// 192 bits.
    public static let bits192 = SymmetricKeySize(bitCount: 192)
    /// 256 bits.
    public static let bits256 = SymmetricKeySize(bitCount: 256)
}

/// Secret bytes: wiped when the last copy goes, never printed, compared in constant time.
public struct SymmetricKey: ContiguousBytes, Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    private let storage: SecretBytes

    /// A new key from the system's random source.
    public init(size: SymmetricKeySize) {
        var random = SystemRandomNumberGenerator()
        storage = SecretBytes(count: size.bitCount / 8) { bytes in
            for index in bytes.indices { bytes[index] = UInt8.random(in: .min ... .max, using: &random) }
        }
    }

    /// A key made of given bytes.
    public init(data: some ContiguousBytes) {
        storage = data.withUnsafeBytes { source in
            SecretBytes(count: source.count) { $0.copyMemory(from: source) }
        }
    }

    /// A key of `byteCount` bytes that `fill` writes in place, so that no copy of them is left behind.
    init(byteCount: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        storage = SecretBytes(count: byteCount, filledBy: fill)
    }

    /// The length in bits.
    public var bitCount: Int { storage.bytes.count * 8 }

    /// Lends the bytes for the time of the call.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(storage.bytes)) }
    }

    /// Compares in constant time.
    public static func == (left: Self, right: Self) -> Bool { constantTimeEqual(left, right) }

    /// The length only.
    public var description: String { "SymmetricKey(\(bitCount) bits)" }
    /// Shows nothing of the bytes to `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["bitCount": bitCount]) }
}

/// Bytes that are wiped when they are given back.
///
/// Unchecked because the bytes are written only inside `init`.
private final class SecretBytes: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        bytes = .allocate(byteCount: count, alignment: 1)
        fill(bytes)
    }

    deinit {
        OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        bytes.deallocate()
    }
}
