import CryptoKit
public import Foundation

/// The camera's half of the handshake of the protected layout (`docs/pairing-protocol.md`, section 6.3).
///
/// Made when the client's share is there; ``answer`` goes to the client; ``finish(confirmation:)`` takes its proof and gives
/// the session. A value for one try: right or wrong, it forgets its secrets then. Not for concurrent mutation, like any value.
///
/// ``answer`` lets the client try one code: count the try when it is sent, and give it back when
/// ``finish(confirmation:)`` returns. A client that guessed need not come back to be told.
public struct ProtectedCameraHandshake: Sendable, CustomStringConvertible, CustomReflectable {
    /// Which password the client says it has.
    public let kind: ExchangeRequest.PasswordKind

    private let conversation: UInt16
    private var verifier: SPAKE2Plus.Verifier

    /// Answers a share, with the system's random source. Takes less than a millisecond on a small board.
    /// - Parameters:
    ///   - hello: The client's message, whole, as it came.
    ///   - welcome: The camera's own message, whole, as it was sent.
    ///   - share: The client's share, of ``ExchangeRequest/share(_:_:)``.
    ///   - verifier: That of the kind of password that the client named.
    /// - Throws: ``ProtectedPairingError/share``; ``ProtectedPairingError/unusable(_:)`` for messages that do not fit
    ///   together or to the verifier; ``ProtectedPairingError/layoutNotListed``; ``ProtectedPairingError/library(_:)`` when
    ///   memory runs out.
    public init(hello: Data, welcome: Data, share: Data, verifier: PasswordVerifier) throws(ProtectedPairingError) {
        var random = SystemRandomNumberGenerator()
        try self.init(hello: hello, welcome: welcome, share: share, verifier: verifier, using: &random)
    }

    /// Answers a share, with `generator` for the number that keeps the session's key from whoever learns the code later.
    /// - Throws: As ``init(hello:welcome:share:verifier:)``.
    public init(
        hello: Data, welcome: Data, share: Data, verifier: PasswordVerifier,
        using generator: inout some RandomNumberGenerator
    ) throws(ProtectedPairingError) {
        let context = try ProtectedContext(hello: hello, welcome: welcome)
        guard context.stretching == verifier.stretching, context.welcome.deviceID == verifier.deviceID else {
            throw .unusable(.value(field: "welcome", reason: "it does not name what the verifier was made with"))
        }
        conversation = context.conversation
        kind = verifier.kind
        do {
            self.verifier = try SPAKE2Plus.Verifier(
                record: verifier.record, setting: context.setting(kind), proverShare: share, using: &generator)
        } catch {
            throw ProtectedPairingError(error)
        }
    }

    /// What goes to the client.
    public var answer: ExchangeAnswer { .share(verifier.share, confirmation: verifier.confirmation) }

    /// Takes the client's proof.
    /// - Parameter confirmation: Of ``ExchangeRequest/confirm(_:)``.
    /// - Returns: The session.
    /// - Throws: ``ProtectedPairingError/wrongPassword``; ``ProtectedPairingError/ended`` from the second call on.
    public mutating func finish(confirmation: Data) throws(ProtectedPairingError) -> SealedChannel {
        do {
            let key = try verifier.finish(confirmation: confirmation)
            return SealedChannel(key: key, side: .camera, conversation: conversation)
        } catch {
            throw ProtectedPairingError(error)
        }
    }

    /// Which password this is about, without secrets.
    public var description: String { "ProtectedCameraHandshake(\(kind), <redacted>)" }
    /// Shows nothing of the secrets to `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind, "verifier": "<redacted>"]) }
}
