import COpenSSL
import Foundation

/// A point of P-256 other than the one at infinity, wiped when it goes.
///
/// The cofactor is 1: every such point is of the large group. Unchecked because the library's object is written only
/// before anyone else has it.
final class P256Point: @unchecked Sendable {
    /// The length of a point that is written in full: 4, x, y.
    static let byteCount = 65

    private let point: OpaquePointer

    /// Owns `point` from now on.
    private init(owning point: OpaquePointer) { self.point = point }

    deinit { EC_POINT_clear_free(point) }

    /// The point that `bytes` write. Nil in any other form than 65 uncompressed bytes and for what is no point of the
    /// curve; the point at infinity has no such form.
    static func uncompressed(_ bytes: Data) -> P256Point? {
        guard bytes.count == byteCount, bytes.first == 4 else { return nil }
        return written(Array(bytes))
    }

    /// A point that a specification gives, compressed.
    static func constant(_ bytes: [UInt8]) -> P256Point {
        guard let point = written(bytes) else { preconditionFailure("a constant is not a point of P-256") }
        return point
    }

    private static func written(_ bytes: [UInt8]) -> P256Point? {
        result { point in
            // Checks that the coordinates are those of a point.
            EC_POINT_oct2point(P256.curve.group, point, bytes, bytes.count, nil) == 1
                && EC_POINT_is_on_curve(P256.curve.group, point, nil) == 1
        }
    }

    /// The generator, `scalar` times.
    static func generator(times scalar: P256Scalar) -> P256Point? {
        result { EC_POINT_mul(P256.curve.group, $0, scalar.number, nil, nil, nil) == 1 }
    }

    /// This point, `scalar` times.
    func times(_ scalar: P256Scalar) -> P256Point? {
        Self.result { EC_POINT_mul(P256.curve.group, $0, nil, point, scalar.number, nil) == 1 }
    }

    /// The sum of two points.
    func plus(_ other: P256Point) -> P256Point? {
        Self.result { EC_POINT_add(P256.curve.group, $0, point, other.point, nil) == 1 }
    }

    /// The difference of two points.
    func minus(_ other: P256Point) -> P256Point? {
        let negated = Self.result {
            EC_POINT_copy($0, other.point) == 1 && EC_POINT_invert(P256.curve.group, $0, nil) == 1
        }
        return negated.flatMap { plus($0) }
    }

    /// The 65 bytes.
    var uncompressed: SymmetricKey {
        SymmetricKey(byteCount: Self.byteCount) { bytes in
            let written = EC_POINT_point2oct(
                P256.curve.group, point, POINT_CONVERSION_UNCOMPRESSED, bytes.bindMemory(to: UInt8.self).baseAddress,
                bytes.count, nil)
            precondition(written == bytes.count, "a point could not be written: \(lastLibraryError())")
        }
    }

    /// What `compute` makes of a new point; nil when it fails and when it arrives at infinity, which no honest exchange
    /// does.
    private static func result(_ compute: (OpaquePointer) -> Bool) -> P256Point? {
        guard let point = EC_POINT_new(P256.curve.group) else { return nil }
        let result = P256Point(owning: point)
        guard compute(point), EC_POINT_is_at_infinity(P256.curve.group, point) == 0 else {
            ERR_clear_error()
            return nil
        }
        return result
    }
}
