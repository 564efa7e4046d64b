import COpenSSL
public import Foundation

/// The output of a hash function: a sequence of bytes whose `==` takes the same time wherever two digests differ.
public protocol Digest: Hashable, ContiguousBytes, Sequence, Sendable, CustomStringConvertible
where Element == UInt8 {
    /// The number of bytes.
    static var byteCount: Int { get }
}

extension Digest {
    /// Compares in constant time.
    public static func == (left: Self, right: Self) -> Bool { constantTimeEqual(left, right) }

    /// Compares in constant time; false when the lengths differ.
    public static func == (left: Self, right: some DataProtocol) -> Bool {
        constantTimeEqual(left, ContiguousArray(right))
    }

    /// Compares in constant time; true when the lengths differ.
    public static func != (left: Self, right: some DataProtocol) -> Bool { !(left == right) }

    /// Iterates over the bytes.
    public func makeIterator() -> Array<UInt8>.Iterator {
        withUnsafeBytes { Array($0) }.makeIterator()
    }

    /// The digest in hexadecimal.
    public var description: String {
        let digits = map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return "\(Self.self): \(digits)"
    }
}

/// True when both hold the same bytes; the time depends on the lengths only.
func constantTimeEqual(_ left: some ContiguousBytes, _ right: some ContiguousBytes) -> Bool {
    left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            guard left.count == right.count else { return false }
            guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return true }
            return CRYPTO_memcmp(leftBase, rightBase, left.count) == 0
        }
    }
}

/// Overwrites bytes that were secret, in a way that the optimizer keeps.
func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
}
