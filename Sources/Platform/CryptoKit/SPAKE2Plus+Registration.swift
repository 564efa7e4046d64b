public import Foundation

extension SPAKE2Plus {
    /// The two numbers that a prover makes of the password. Wiped when the last copy goes, never printed.
    public struct ProverSecret: Sendable, CustomStringConvertible, CustomReflectable {
        let w0: P256Scalar
        let w1: P256Scalar

        /// Reduces a stretched password (RFC 9383, 3.2).
        /// - Parameter stretchedPassword: ``SPAKE2Plus/stretchedPasswordByteCount`` bytes out of a function that makes
        ///   guessing costly, such as ``Scrypt``.
        /// - Throws: ``Failure/secret`` for any other length.
        public init(stretchedPassword: SymmetricKey) throws(Failure) {
            let numbers = stretchedPassword.withUnsafeBytes { bytes -> (P256Scalar, P256Scalar)? in
                guard bytes.count == stretchedPasswordByteCount,
                    let w0 = P256Scalar(reducing: .init(rebasing: bytes.prefix(P256Scalar.wideByteCount))),
                    let w1 = P256Scalar(reducing: .init(rebasing: bytes.dropFirst(P256Scalar.wideByteCount)))
                else { return nil }
                return (w0, w1)
            }
            guard let numbers else { throw .secret }
            (w0, w1) = numbers
        }

        /// Numbers that were made elsewhere.
        /// - Parameters:
        ///   - w0: 32 bytes, big-endian, from 1 to the order of the curve less one.
        ///   - w1: Likewise.
        /// - Throws: ``Failure/secret`` for any other.
        public init(w0: SymmetricKey, w1: SymmetricKey) throws(Failure) {
            guard let w0 = w0.withUnsafeBytes({ P256Scalar($0) }), let w1 = w1.withUnsafeBytes({ P256Scalar($0) })
            else { throw .secret }
            self.w0 = w0
            self.w1 = w1
        }

        /// What the verifier gets.
        /// - Throws: ``Failure/library(_:)`` when memory runs out.
        public func registrationRecord() throws(Failure) -> RegistrationRecord {
            guard let l = P256Point.generator(times: w1) else { throw .library(.fromLibrary()) }
            return RegistrationRecord(w0: w0, l: l)
        }

        /// Names the type only.
        public var description: String { "SPAKE2Plus.ProverSecret(<redacted>)" }
        /// Shows nothing of the numbers to `dump` and debuggers.
        public var customMirror: Mirror { Mirror(self, children: ["numbers": "<redacted>"]) }
    }

    /// What a verifier keeps of a password. Whoever has it can guess at the password in peace and can pose as the
    /// verifier, but not as a prover: keep it where only its owner can read it. Wiped when the last copy goes, never
    /// printed.
    public struct RegistrationRecord: Sendable, CustomStringConvertible, CustomReflectable {
        /// The length of ``rawRepresentation``.
        public static let byteCount = P256Scalar.byteCount + P256Point.byteCount

        let w0: P256Scalar
        let l: P256Point

        init(w0: P256Scalar, l: P256Point) {
            self.w0 = w0
            self.l = l
        }

        /// The record that ``rawRepresentation`` gave.
        /// - Throws: ``Failure/record`` for anything else.
        public init(rawRepresentation: Data) throws(Failure) {
            guard rawRepresentation.count == Self.byteCount,
                let w0 = rawRepresentation.prefix(P256Scalar.byteCount).withUnsafeBytes({ P256Scalar($0) }),
                let l = P256Point.uncompressed(rawRepresentation.dropFirst(P256Scalar.byteCount))
            else { throw .record }
            self.init(w0: w0, l: l)
        }

        /// Both values in a row: w0 (32 bytes, big-endian) and L (65 bytes, uncompressed).
        public var rawRepresentation: Data {
            w0.bytes.withUnsafeBytes { Data($0) } + l.uncompressed.withUnsafeBytes { Data($0) }
        }

        /// Names the type only.
        public var description: String { "SPAKE2Plus.RegistrationRecord(<redacted>)" }
        /// Shows nothing of the values to `dump` and debuggers.
        public var customMirror: Mirror { Mirror(self, children: ["values": "<redacted>"]) }
    }
}
