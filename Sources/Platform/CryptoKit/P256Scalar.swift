import COpenSSL
import Foundation

/// The curve P-256 (FIPS 186-4; also secp256r1, prime256v1), as far as ``SPAKE2Plus`` computes on it.
///
/// Unchecked because the group is made once and only read afterwards, which libcrypto allows from any thread.
final class P256: @unchecked Sendable {
    static let curve = P256()

    let group: OpaquePointer
    let order: OpaquePointer

    private init() {
        guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), let order = EC_GROUP_get0_order(group)
        else { preconditionFailure("libcrypto has no P-256: \(lastLibraryError())") }
        self.group = group
        self.order = order
    }
}

/// A number from 1 to the order of P-256 less one, wiped when it goes.
///
/// Unchecked because the number is written only inside `init`.
final class P256Scalar: @unchecked Sendable {
    /// The length in which a number is written, in bytes.
    static let byteCount = 32
    /// Bytes that give a number without a bias of use to anybody: 64 bits more than the order has (RFC 9383, 3.2).
    static let wideByteCount = 40

    let number: OpaquePointer

    /// The number that `bytes` write, big-endian; nil when it is 0 or not below the order.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount, let number = Self.number(bytes) else { return nil }
        self.number = number
        guard BN_is_zero(number) == 0, BN_cmp(number, P256.curve.order) < 0 else { return nil }
    }

    /// The remainder of the number that `bytes` write, big-endian; nil when it is 0, or when memory runs out.
    init?(reducing bytes: UnsafeRawBufferPointer) {
        guard let number = Self.number(bytes) else { return nil }
        self.number = number
        guard let context = BN_CTX_secure_new() else { return nil }
        defer { BN_CTX_free(context) }
        guard BN_nnmod(number, number, P256.curve.order, context) == 1, BN_is_zero(number) == 0 else { return nil }
    }

    deinit { BN_clear_free(number) }

    /// A number from `generator`: five words, the highest first, are reduced.
    static func random(using generator: inout some RandomNumberGenerator) -> P256Scalar? {
        let wide = SymmetricKey(byteCount: wideByteCount) { bytes in
            for offset in stride(from: 0, to: wideByteCount, by: 8) {
                bytes.storeBytes(of: generator.next().bigEndian, toByteOffset: offset, as: UInt64.self)
            }
        }
        return wide.withUnsafeBytes { P256Scalar(reducing: $0) }
    }

    /// The 32 bytes, big-endian.
    var bytes: SymmetricKey {
        SymmetricKey(byteCount: Self.byteCount) { bytes in
            let written = BN_bn2binpad(number, bytes.bindMemory(to: UInt8.self).baseAddress, Int32(bytes.count))
            precondition(written == bytes.count, "a number outgrew the order it was reduced by")
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer? {
        guard
            let number = BN_bin2bn(bytes.bindMemory(to: UInt8.self).baseAddress, Int32(bytes.count), nil)
        else { return nil }
        // Makes the library take its paths whose time does not depend on the number.
        BN_set_flags(number, BN_FLG_CONSTTIME)
        return number
    }
}
