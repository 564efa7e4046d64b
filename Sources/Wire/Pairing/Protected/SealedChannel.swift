import CryptoKit
public import Foundation

/// The session of the protected layout: seals what one side says and opens what the other sealed
/// (`docs/pairing-protocol.md`, section 6.3).
///
/// Each direction has its own key, and its messages are numbered without gaps: a message that is changed, left out, repeated,
/// taken from another session or sent back does not open, and then nothing does any more. A value, for one owner: a copy that
/// goes on beside the original would seal two messages under one number, which gives both away.
public struct SealedChannel: Sendable, CustomStringConvertible, CustomReflectable {
    /// The longest message that can be sealed, in bytes: what a framed message holds, less kind, conversation and tag.
    public static let maximumMessageBytes = Frame.maximumMessageBytes - 3 - ExchangeRequest.tagBytes
    /// The number of messages after which a direction is worn out.
    static let maximumMessages: UInt64 = 1 << 32

    /// Whose end this is.
    enum Side: Sendable {
        case client
        case camera
    }

    private struct Direction: Sendable {
        let key: SymmetricKey
        let beside: Data
        var next: UInt64

        /// The number of the message due, as its nonce; counts.
        mutating func nonce() -> ChaChaPoly.Nonce? {
            guard next < SealedChannel.maximumMessages else { return nil }
            defer { next += 1 }
            return try? ChaChaPoly.Nonce(data: Data(count: 4) + withUnsafeBytes(of: next.bigEndian) { Data($0) })
        }
    }

    private struct Session: Sendable {
        var sending: Direction
        var receiving: Direction
    }

    private var session: Session?

    /// - Parameters:
    ///   - key: What the handshake agreed upon.
    ///   - first: The number of the first message of each direction.
    init(key: SymmetricKey, side: Side, conversation: UInt16, first: UInt64 = 0) {
        func direction(_ name: String, _ kind: UInt8) -> Direction {
            Direction(
                key: HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(name.utf8), outputByteCount: 32),
                beside: Data([kind]) + conversation.bigEndianBytes, next: first)
        }
        let toCamera = direction("Porchlight client to camera", ExchangeRequest.Kind.sealed.rawValue)
        let toClient = direction("Porchlight camera to client", ExchangeAnswer.sealedKind)
        session =
            switch side {
            case .client: Session(sending: toCamera, receiving: toClient)
            case .camera: Session(sending: toClient, receiving: toCamera)
            }
    }

    /// False once a message did not open or a direction is worn out; it stays false.
    public var isOpen: Bool { session != nil }

    /// Seals one message.
    /// - Parameter message: ``ExchangeRequest/encoded`` or ``ExchangeAnswer/encodedForSealing()``, at most
    ///   ``maximumMessageBytes``.
    /// - Returns: The content of ``ExchangeRequest/sealed(_:)`` or ``ExchangeAnswer/sealed(_:)``. Send it: the other side
    ///   opens nothing before it has opened this.
    /// - Throws: ``ProtectedPairingError/ended``; ``ProtectedPairingError/tooLong(_:)``, which changes nothing.
    public mutating func seal(_ message: Data) throws(ProtectedPairingError) -> Data {
        guard message.count <= Self.maximumMessageBytes else { throw .tooLong(message.count) }
        guard let nonce = session?.sending.nonce(), let sending = session?.sending else {
            session = nil
            throw .ended
        }
        do {
            let box = try ChaChaPoly.seal(message, using: sending.key, nonce: nonce, authenticating: sending.beside)
            return box.ciphertext + box.tag
        } catch {
            session = nil
            throw .library("\(error)")
        }
    }

    /// Opens the next message of the other side.
    /// - Parameter sealed: The content of ``ExchangeAnswer/sealed(_:)`` or ``ExchangeRequest/sealed(_:)``.
    /// - Returns: What ``ExchangeAnswer/init(decodingSealed:)`` or ``ExchangeRequest/init(decodingSealed:)`` reads.
    /// - Throws: ``ProtectedPairingError/altered`` when it is not exactly that message: the session has ended then;
    ///   ``ProtectedPairingError/ended`` ever after.
    public mutating func open(_ sealed: Data) throws(ProtectedPairingError) -> Data {
        guard let nonce = session?.receiving.nonce(), let receiving = session?.receiving else {
            session = nil
            throw .ended
        }
        do {
            let box = try ChaChaPoly.SealedBox(
                nonce: nonce, ciphertext: sealed.dropLast(ExchangeRequest.tagBytes),
                tag: sealed.suffix(ExchangeRequest.tagBytes))
            return try ChaChaPoly.open(box, using: receiving.key, authenticating: receiving.beside)
        } catch {
            session = nil
            throw .altered
        }
    }

    /// Whether it is open, without secrets.
    public var description: String { "SealedChannel(\(isOpen ? "open" : "ended"), <redacted>)" }
    /// Shows nothing of the keys to `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["isOpen": isOpen]) }
}
