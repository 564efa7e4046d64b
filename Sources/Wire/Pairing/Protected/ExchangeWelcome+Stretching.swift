import CryptoKit
import Foundation

extension ExchangeWelcome.Stretching {
    /// The costs that a client accepts, as the power of two that N is.
    public static let acceptedLogN: ClosedRange<UInt8> = 10...17
    /// The block sizes that a client accepts.
    public static let acceptedR: ClosedRange<UInt8> = 1...16
    /// The parallelism that a client accepts.
    public static let acceptedP: ClosedRange<UInt8> = 1...4

    /// New parameters with a salt from the system's random source.
    public static func fresh() -> Self {
        var random = SystemRandomNumberGenerator()
        return fresh(using: &random)
    }

    /// New parameters with a salt from `generator`: N 2^14, r 8, p 1, which is some 50 ms and 16 MiB on a small board.
    public static func fresh(using generator: inout some RandomNumberGenerator) -> Self {
        let salt = (0..<saltBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Self(salt: Data(salt), logN: 14, r: 8, p: 1)
    }

    /// Checks that the parameters are ones that a client accepts: neither too cheap to guess at, nor dearer than a phone
    /// can pay.
    public func check() throws(WireError) {
        guard salt.count == Self.saltBytes else {
            throw .length(field: "salt", actual: salt.count, allowed: Self.saltBytes...Self.saltBytes)
        }
        for (field, value, accepted) in [
            ("log2 N", logN, Self.acceptedLogN), ("r", r, Self.acceptedR), ("p", p, Self.acceptedP),
        ] where !accepted.contains(value) {
            throw .value(field: field, reason: "\(value) is outside \(accepted.lowerBound) to \(accepted.upperBound)")
        }
    }

    /// Stretches the password of one camera (RFC 9383, 3.2). Takes long on purpose.
    /// - Parameter code: Nil is the empty password.
    func stretch(_ code: SetupCode?, deviceID: DeviceID?) throws(ProtectedPairingError) -> SPAKE2Plus.ProverSecret {
        do { try check() } catch { throw .unusable(error) }
        var input = Data()
        // The prover has no name.
        for field in [code?.revealed ?? "", "", deviceID?.rawValue ?? ""] {
            withUnsafeBytes(of: UInt64(field.utf8.count).littleEndian) { input.append(contentsOf: $0) }
            input.append(contentsOf: field.utf8)
        }
        do {
            return try SPAKE2Plus.ProverSecret(
                stretchedPassword: Scrypt.deriveKey(
                    password: input, salt: salt, cost: 1 << Int(logN), blockSize: Int(r), parallelism: Int(p),
                    outputByteCount: SPAKE2Plus.stretchedPasswordByteCount))
        } catch {
            throw .library("\(error)")
        }
    }
}
