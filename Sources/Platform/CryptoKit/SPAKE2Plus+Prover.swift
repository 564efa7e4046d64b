public import Foundation

extension SPAKE2Plus {
    /// The side that knows the password, in one exchange.
    ///
    /// A value for one ``finish(share:confirmation:)``: right or wrong, it forgets its secrets then.
    public struct Prover: Sendable, CustomStringConvertible, CustomReflectable {
        private struct Pending: Sendable {
            var secret: ProverSecret
            var setting: Setting
            var x: P256Scalar
        }

        /// What goes to the verifier: 65 bytes.
        public let share: Data
        private var pending: Pending?

        /// Begins with a number from the system's random source.
        /// - Throws: ``Failure/library(_:)`` when memory runs out.
        public init(secret: ProverSecret, setting: Setting) throws(Failure) {
            var random = SystemRandomNumberGenerator()
            try self.init(secret: secret, setting: setting, using: &random)
        }

        /// Begins with a number from `generator`: five words, the highest first, reduced by the curve's order. Whoever
        /// can foretell it can try passwords on what was said.
        /// - Throws: ``Failure/library(_:)`` when the generator gives nothing but zeros, or memory runs out.
        public init(
            secret: ProverSecret, setting: Setting, using generator: inout some RandomNumberGenerator
        ) throws(Failure) {
            guard let x = P256Scalar.random(using: &generator), let point = P256Point.generator(times: x),
                let mask = SPAKE2PlusConstant.m.times(secret.w0), let masked = point.plus(mask)
            else { throw .library(.fromLibrary()) }
            share = masked.uncompressed.withUnsafeBytes { Data($0) }
            pending = Pending(secret: secret, setting: setting, x: x)
        }

        /// Checks what the verifier answered.
        /// - Parameters:
        ///   - share: The verifier's share.
        ///   - confirmation: The verifier's confirmation.
        /// - Returns: What goes to the verifier, and the key, 32 bytes.
        /// - Throws: ``Failure/share``; ``Failure/confirmation``; ``Failure/ended`` from the second call on.
        public mutating func finish(
            share verifierShare: Data, confirmation: Data
        ) throws(Failure) -> (confirmation: Data, key: SymmetricKey) {
            guard let pending else { throw .ended }
            self.pending = nil
            let secret = pending.secret
            guard let point = P256Point.uncompressed(verifierShare),
                let mask = SPAKE2PlusConstant.n.times(secret.w0), let unmasked = point.minus(mask),
                let z = unmasked.times(pending.x), let v = unmasked.times(secret.w1)
            else { throw .share }
            let keys = SPAKE2PlusKeys(
                setting: pending.setting, proverShare: share, verifierShare: verifierShare, z: z, v: v, w0: secret.w0)
            guard constantTimeEqual(keys.verifierConfirmation, confirmation) else { throw .confirmation }
            return (Data(keys.proverConfirmation), keys.shared)
        }

        /// Names the type only.
        public var description: String { "SPAKE2Plus.Prover(<redacted>)" }
        /// Shows nothing of the secrets to `dump` and debuggers.
        public var customMirror: Mirror { Mirror(self, children: ["hasEnded": pending == nil]) }
    }
}
