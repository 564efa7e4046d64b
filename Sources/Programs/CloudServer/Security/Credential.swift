import CryptoKit
import Foundation
import Wire

/// The SHA-256 digest of a session key or token: all that is stored of it.
///
/// With 256 random bits behind it a digest cannot be turned back or guessed, so it needs no salt, and finding it by index
/// gives nothing away: who can time the search learns about digests, not about what they are made of.
struct CredentialDigest: Sendable, Hashable {
    let bytes: Data

    init(of secret: Secret) { bytes = Data(SHA256.hash(data: Data(secret.revealed.utf8))) }
}

/// Makes what others must not guess.
struct CredentialSource: Sendable {
    let randomBytes: @Sendable (_ count: Int) -> Data

    /// 256 bits as 43 characters of base64url: a pairing session's key.
    func sessionKey() -> Secret { Secret(Self.base64URL(randomBytes(32))) }

    /// 256 bits as base64url behind `plt_`, which tells secret scanners, and people, what it is.
    func token() -> Secret { Secret("plt_" + Self.base64URL(randomBytes(32))) }

    /// 256 bits as base64url: the last part of a live session's address, which is all that is needed to end it.
    func address() -> String { Self.base64URL(randomBytes(32)) }

    /// 32 bytes for a camera to sign.
    func nonce() -> Data { randomBytes(32) }

    /// A new space's id: `s` and 120 bits in lower-case base 32. It is no secret; it is random so that the number of
    /// spaces cannot be told from it.
    func spaceId() -> String {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
        return "s" + String(randomBytes(24).map { alphabet[Int($0 & 0x1F)] })
    }

    private static func base64URL(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
