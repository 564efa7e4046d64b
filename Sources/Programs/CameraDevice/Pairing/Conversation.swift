import Foundation
import Wire

/// What a client and the camera say to each other on an exchange: the message under way, the number of the conversation, and
/// on the protected layout the key.
///
/// A pure value with one owner: a copy must not go on beside it, since both would seal under the same numbers.
struct Conversation: Sendable {
    private enum Key: Sendable {
        case none
        /// The camera has shown that it knows the password; the client has not yet.
        case proving(ProtectedCameraHandshake)
        case agreed(SealedChannel)
    }

    private struct Greeting: Sendable {
        var number: UInt16
        /// Whole, as they were on the air: the key is bound to them.
        var hello: Data
        var welcome: Data
    }

    private let isProtected: Bool
    private var greeting: Greeting?
    private var key = Key.none
    /// The message under way.
    var reassembler = FrameReassembler()

    /// Nothing said.
    init(on layout: PairingLayout) { isProtected = layout == .protected }

    /// What the client calls the conversation; nil until it has said hello.
    var number: UInt16? { greeting?.number }

    /// Whether the client is told what happens.
    var isHearing: Bool {
        if case .agreed = key { return true }
        return !isProtected && greeting != nil
    }

    /// The password whose proof by the client is awaited.
    var proving: ExchangeRequest.PasswordKind? {
        if case .proving(let handshake) = key { handshake.kind } else { nil }
    }

    /// What a message asks for.
    /// - Parameter number: The message's number.
    mutating func understood(_ message: Data, number: UInt8) throws(ExchangeRefusal) -> Exchange.Incoming {
        let request = try Self.decoded(message) { bytes throws(WireError) in try ExchangeRequest(decoding: bytes) }
        if case .hello(let conversation) = request { return .hello(conversation, message) }
        guard greeting != nil else { throw ExchangeRefusal(.noSession) }
        switch request {
        case .scan, .credentials, .state:
            guard !isProtected else { throw ExchangeRefusal(.noSession) }
            return .request(request, number)
        case .share(let kind, let share) where isProtected: return .share(kind, share, number)
        case .confirm(let confirmation) where isProtected: return .confirm(confirmation, number)
        case .sealed(let sealed) where isProtected:
            let opened = try open(sealed)
            let inner = try Self.decoded(opened) { bytes throws(WireError) in
                try ExchangeRequest(decodingSealed: bytes)
            }
            return .request(inner, number)
        case .hello, .share, .confirm, .sealed: throw ExchangeRefusal(.unknownCommand)
        }
    }

    private mutating func open(_ sealed: Data) throws(ExchangeRefusal) -> Data {
        guard case .agreed(var channel) = key else { throw ExchangeRefusal(.noSession) }
        do {
            let opened = try channel.open(sealed)
            key = .agreed(channel)
            return opened
        } catch {
            key = .none
            throw ExchangeRefusal(.noSession)
        }
    }

    private static func decoded(
        _ bytes: Data, by decode: (Data) throws(WireError) -> ExchangeRequest
    ) throws(ExchangeRefusal) -> ExchangeRequest {
        guard let code = bytes.first else { throw ExchangeRefusal(.length) }
        // Later versions have more of them, and their clients want to know.
        guard ExchangeRequest.Kind(rawValue: code) != nil else { throw ExchangeRefusal(.unknownCommand) }
        do {
            return try decode(bytes)
        } catch {
            throw ExchangeRefusal(error)
        }
    }

    /// The client has said hello, and is answered.
    mutating func begin(_ number: UInt16, hello: Data, welcome: Data) {
        greeting = Greeting(number: number, hello: hello, welcome: welcome)
        key = .none
    }

    /// Takes the client's share.
    /// - Returns: What the camera answers, by which the client sees whether its password is the camera's.
    mutating func prove(
        _ share: Data, by verifier: PasswordVerifier, with randomness: PairingRandomness
    ) throws(ProtectedPairingError) -> ExchangeAnswer {
        key = .none
        guard let greeting else { throw .ended }
        let handshake = try randomness.handshake(greeting.hello, greeting.welcome, share, verifier)
        key = .proving(handshake)
        return handshake.answer
    }

    /// Takes the client's proof.
    mutating func confirm(_ confirmation: Data) throws(ProtectedPairingError) {
        guard case .proving(var handshake) = key else { throw .ended }
        key = .none
        key = .agreed(try handshake.finish(confirmation: confirmation))
    }

    /// Awaits no proof any more.
    mutating func forgetProof() {
        if case .proving = key { key = .none }
    }

    /// A message's bytes; nil when it is none that the client may hear now.
    mutating func encode(_ message: ExchangeAnswer) -> Data? {
        guard let greeting else { return nil }
        var message = message
        if message.isSealable, case .agreed(var channel) = key {
            // A session that is worn out says nothing any more.
            guard let sealed = try? channel.seal(Self.encoded { try message.encodedForSealing() }) else {
                key = .none
                return nil
            }
            key = .agreed(channel)
            message = .sealed(sealed)
        } else if isProtected, !Self.isClear(message) {
            return nil
        }
        return Self.encoded { try message.encoded(for: greeting.number) }
    }

    /// What the protected layout says without a key: how it comes to one, and that it has none.
    private static func isClear(_ message: ExchangeAnswer) -> Bool {
        switch message {
        case .welcome, .share, .answer: true
        case .record, .state, .sealed: false
        }
    }

    private static func encoded(_ encode: () throws -> Data) -> Data {
        do {
            return try encode()
        } catch {
            preconditionFailure("merged networks and checked names are within their limits: \(error)")
        }
    }
}
