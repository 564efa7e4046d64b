import CryptoKit
public import Foundation

/// The client's half of the handshake of the protected layout (`docs/pairing-protocol.md`, section 6.3).
///
/// Made when the welcome is there; ``share`` goes to the camera; ``finish(share:confirmation:)`` takes its answer and gives
/// the last message and the session. A value for one try: right or wrong, it forgets its secrets then. Not for concurrent
/// mutation, like any value.
public struct ProtectedClientHandshake: Sendable, CustomStringConvertible, CustomReflectable {
    /// What the camera said of itself.
    ///
    /// Nobody has changed it once ``finish(share:confirmation:)`` has returned; before, it is hearsay.
    public let welcome: ExchangeWelcome

    private let conversation: UInt16
    private let kind: ExchangeRequest.PasswordKind
    private var prover: SPAKE2Plus.Prover

    /// Stretches the password and begins, with the system's random source.
    ///
    /// Takes as long as the camera's parameters say, some 50 ms by default and seconds at the limits of what is accepted:
    /// call it where nothing waits.
    /// - Parameters:
    ///   - hello: The client's own message, whole, as it was sent.
    ///   - welcome: The camera's message, whole, as it came.
    ///   - code: Nil is the empty password, which shuts out listeners only.
    /// - Throws: ``ProtectedPairingError/unusable(_:)`` for messages that do not fit together or parameters outside what is
    ///   accepted; ``ProtectedPairingError/layoutNotListed``; ``ProtectedPairingError/library(_:)`` when memory runs out.
    public init(hello: Data, welcome: Data, code: SetupCode?) throws(ProtectedPairingError) {
        var random = SystemRandomNumberGenerator()
        try self.init(hello: hello, welcome: welcome, code: code, using: &random)
    }

    /// Stretches the password and begins, with `generator` for the number that keeps the session's key from whoever learns
    /// the code later.
    /// - Throws: As ``init(hello:welcome:code:)``.
    public init(
        hello: Data, welcome: Data, code: SetupCode?, using generator: inout some RandomNumberGenerator
    ) throws(ProtectedPairingError) {
        let context = try ProtectedContext(hello: hello, welcome: welcome)
        let secret = try context.stretching.stretch(code, deviceID: context.welcome.deviceID)
        conversation = context.conversation
        self.welcome = context.welcome
        kind = code == nil ? .none : .setupCode
        do {
            prover = try SPAKE2Plus.Prover(secret: secret, setting: context.setting(kind), using: &generator)
        } catch {
            throw ProtectedPairingError(error)
        }
    }

    /// What goes to the camera first.
    public var share: ExchangeRequest { .share(kind, prover.share) }

    /// Takes the camera's answer to ``share``.
    /// - Parameters:
    ///   - share: The camera's share, of ``ExchangeAnswer/share(_:confirmation:)``.
    ///   - confirmation: Its confirmation.
    /// - Returns: What goes to the camera next, and the session. The camera's first sealed message says whether it agrees.
    /// - Throws: ``ProtectedPairingError/wrongPassword``, ``ProtectedPairingError/share``; ``ProtectedPairingError/ended``
    ///   from the second call on.
    public mutating func finish(
        share: Data, confirmation: Data
    ) throws(ProtectedPairingError) -> (confirm: ExchangeRequest, channel: SealedChannel) {
        do {
            let (own, key) = try prover.finish(share: share, confirmation: confirmation)
            return (.confirm(own), SealedChannel(key: key, side: .client, conversation: conversation))
        } catch {
            throw ProtectedPairingError(error)
        }
    }

    /// Whose conversation this is of, without secrets.
    public var description: String { "ProtectedClientHandshake(\(kind), <redacted>)" }
    /// Shows nothing of the secrets to `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind, "prover": "<redacted>"]) }
}
