public import Foundation

/// SPAKE2+ (RFC 9383), suite P256-SHA256-HKDF-SHA256-HMAC-SHA256: two sides that know one password agree on a key.
///
/// A listener learns nothing that lets it try passwords afterwards, and whoever takes part without the password can try
/// one for each exchange. One side, the prover, knows the password; the other, the verifier, keeps a
/// ``RegistrationRecord`` of it, which cannot be used as a prover. Beyond Apple's framework, which has no exchange by
/// password and no arithmetic of points.
///
/// ``Prover`` sends its share; ``Verifier`` answers with its own share and a confirmation; the prover checks it and
/// answers with its confirmation. Each has the key only once the other's confirmation was right.
public enum SPAKE2Plus {
    /// The length of a share: an uncompressed point.
    public static let shareByteCount = P256Point.byteCount
    /// The length of a confirmation.
    public static let confirmationByteCount = SHA256.byteCount
    /// The length to which a password is stretched for ``ProverSecret``.
    public static let stretchedPasswordByteCount = 2 * P256Scalar.wideByteCount

    /// What the two sides agree upon before, as bytes: where they differ, so do the keys.
    public struct Setting: Sendable, Hashable {
        /// What the exchange is for, and all that was said before it and must be what the other side heard.
        public var context: Data
        /// The prover's name; may be empty.
        public var prover: Data
        /// The verifier's name; may be empty.
        public var verifier: Data

        /// Names the application and the two sides.
        public init(context: Data, prover: Data = Data(), verifier: Data = Data()) {
            self.context = context
            self.prover = prover
            self.verifier = verifier
        }
    }

    /// Why an exchange gave no key.
    public enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The stretched password has another length than ``SPAKE2Plus/stretchedPasswordByteCount``, or a number of it is
        /// outside its range.
        case secret
        /// The bytes are no registration record.
        case record
        /// The other side's share is not a point of the curve in uncompressed form, or one that no honest side sends.
        case share
        /// The other side's confirmation is wrong: it has another password, another setting, or is in the middle.
        case confirmation
        /// This exchange has ended; a second try needs a new one.
        case ended
        /// The library under this module refused.
        case library(CryptoKitError)

        /// What happened and what to do.
        public var description: String {
            switch self {
            case .secret: "the stretched password is not usable; stretch it to \(stretchedPasswordByteCount) bytes"
            case .record: "the registration record is damaged; make it anew from the password"
            case .share: "the other side's share is not a point of P-256; end the exchange"
            case .confirmation: "the other side does not know the password; end the exchange"
            case .ended: "the exchange has ended; begin a new one"
            case .library(let error): error.description
            }
        }
    }
}

/// The points of RFC 9383, section 4, whose discrete logarithms nobody knows.
enum SPAKE2PlusConstant {
    static let m = P256Point.constant([
        0x02, 0x88, 0x6E, 0x2F, 0x97, 0xAC, 0xE4, 0x6E, 0x55, 0xBA, 0x9D, 0xD7, 0x24, 0x25, 0x79, 0xF2, 0x99, 0x3B,
        0x64, 0xE1, 0x6E, 0xF3, 0xDC, 0xAB, 0x95, 0xAF, 0xD4, 0x97, 0x33, 0x3D, 0x8F, 0xA1, 0x2F,
    ])
    static let n = P256Point.constant([
        0x03, 0xD8, 0xBB, 0xD6, 0xC6, 0x39, 0xC6, 0x29, 0x37, 0xB0, 0x4D, 0x99, 0x7F, 0x38, 0xC3, 0x77, 0x07, 0x19,
        0xC6, 0x29, 0xD7, 0x01, 0x4D, 0x49, 0xA2, 0x4B, 0x4F, 0x98, 0xBA, 0xA1, 0x29, 0x2B, 0x49,
    ])
}

/// What both sides derive once they have computed the same two points (RFC 9383, 3.3 and 3.4).
struct SPAKE2PlusKeys: Sendable {
    let proverConfirmation: HMAC<SHA256>.MAC
    let verifierConfirmation: HMAC<SHA256>.MAC
    let shared: SymmetricKey

    /// - Parameters:
    ///   - z: The point that the two ephemeral numbers give.
    ///   - v: The point that the password and the verifier's ephemeral number give.
    init(
        setting: SPAKE2Plus.Setting, proverShare: Data, verifierShare: Data, z: P256Point, v: P256Point, w0: P256Scalar
    ) {
        var transcript = SHA256()
        func append(_ field: some ContiguousBytes) {
            field.withUnsafeBytes { bytes in
                withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { transcript.update(bufferPointer: $0) }
                transcript.update(bufferPointer: bytes)
            }
        }
        append(setting.context)
        append(setting.prover)
        append(setting.verifier)
        append(SPAKE2PlusConstant.m.uncompressed)
        append(SPAKE2PlusConstant.n.uncompressed)
        append(proverShare)
        append(verifierShare)
        append(z.uncompressed)
        append(v.uncompressed)
        append(w0.bytes)
        let main = SymmetricKey(data: transcript.finalize())

        let confirmationKeys = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: main, info: Data("ConfirmationKeys".utf8), outputByteCount: 2 * SHA256.byteCount)
        let (prover, verifier) = confirmationKeys.withUnsafeBytes { bytes in
            (
                SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes.prefix(SHA256.byteCount))),
                SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(SHA256.byteCount)))
            )
        }
        proverConfirmation = HMAC<SHA256>.authenticationCode(for: verifierShare, using: prover)
        verifierConfirmation = HMAC<SHA256>.authenticationCode(for: proverShare, using: verifier)
        shared = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: main, info: Data("SharedKey".utf8), outputByteCount: SHA256.byteCount)
    }
}
