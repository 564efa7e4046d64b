public import Foundation

extension SPAKE2Plus {
    /// The side that keeps the record, in one exchange; it begins when the prover's share is there.
    ///
    /// A value for one ``finish(confirmation:)``: right or wrong, it forgets its secrets then. Whoever lets a stranger
    /// have ``confirmation`` has let it try one password: count from there, not from the stranger's answer, which need
    /// not come.
    public struct Verifier: Sendable, CustomStringConvertible, CustomReflectable {
        private struct Pending: Sendable {
            var expected: HMAC<SHA256>.MAC
            var key: SymmetricKey
        }

        /// What goes to the prover: 65 bytes.
        public let share: Data
        /// What goes to the prover as well: 32 bytes that prove the record.
        public let confirmation: Data
        private var pending: Pending?

        /// Answers a share with a number from the system's random source.
        /// - Throws: ``Failure/share``; ``Failure/library(_:)`` when memory runs out.
        public init(record: RegistrationRecord, setting: Setting, proverShare: Data) throws(Failure) {
            var random = SystemRandomNumberGenerator()
            try self.init(record: record, setting: setting, proverShare: proverShare, using: &random)
        }

        /// Answers a share with a number from `generator`: five words, the highest first, reduced by the curve's order.
        /// Whoever can foretell it can try passwords on what was said.
        /// - Throws: ``Failure/share``; ``Failure/library(_:)`` when the generator gives nothing but zeros, or memory
        ///   runs out.
        public init(
            record: RegistrationRecord, setting: Setting, proverShare: Data,
            using generator: inout some RandomNumberGenerator
        ) throws(Failure) {
            guard let point = P256Point.uncompressed(proverShare) else { throw .share }
            guard let y = P256Scalar.random(using: &generator), let own = P256Point.generator(times: y),
                let mask = SPAKE2PlusConstant.n.times(record.w0), let masked = own.plus(mask),
                let otherMask = SPAKE2PlusConstant.m.times(record.w0), let v = record.l.times(y)
            else { throw .library(.fromLibrary()) }
            // At infinity for the one share that is the mask itself, which no honest prover sends.
            guard let unmasked = point.minus(otherMask), let z = unmasked.times(y) else { throw .share }
            share = masked.uncompressed.withUnsafeBytes { Data($0) }
            let keys = SPAKE2PlusKeys(
                setting: setting, proverShare: proverShare, verifierShare: share, z: z, v: v, w0: record.w0)
            confirmation = Data(keys.verifierConfirmation)
            pending = Pending(expected: keys.proverConfirmation, key: keys.shared)
        }

        /// Checks what the prover answered.
        /// - Returns: The key, 32 bytes.
        /// - Throws: ``Failure/confirmation``; ``Failure/ended`` from the second call on.
        public mutating func finish(confirmation: Data) throws(Failure) -> SymmetricKey {
            guard let pending else { throw .ended }
            self.pending = nil
            guard constantTimeEqual(pending.expected, confirmation) else { throw .confirmation }
            return pending.key
        }

        /// Names the type only.
        public var description: String { "SPAKE2Plus.Verifier(<redacted>)" }
        /// Shows nothing of the secrets to `dump` and debuggers.
        public var customMirror: Mirror { Mirror(self, children: ["hasEnded": pending == nil]) }
    }
}
