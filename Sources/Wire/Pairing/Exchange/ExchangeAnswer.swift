public import Foundation

/// What a camera says to a client on the chunked and the protected layout. Source: `docs/pairing-protocol.md`, section 4.7.
///
/// On the air each message names the conversation that it belongs to, since some radios notify every subscriber of what was
/// meant for one: a client drops those of others. Inside a sealed message the conversation is left out.
public enum ExchangeAnswer: Sendable, Hashable {
    /// The answer to ``ExchangeRequest/hello(conversation:)``.
    case welcome(ExchangeWelcome)
    /// Of the answer to ``ExchangeRequest/scan``.
    case record(NetworkListRecord)
    /// The camera has taken a request, or not.
    case answer(Acknowledgement)
    /// Where the camera stands; also told by itself at every change.
    case state(PairingState)
    /// The camera's share of the key, and its proof that it has the key.
    case share(Data, confirmation: Data)
    /// One of ``record(_:)``, ``answer(_:)`` and ``state(_:)``, encrypted.
    case sealed(Data)

    /// Whether a request was taken.
    public struct Acknowledgement: Sendable, Hashable {
        /// The number of the message that carried the request.
        public var message: UInt8
        /// Why it was not taken; nil when it was.
        public var refusal: PairingService.WriteRefusal?
        /// The field at fault.
        public var field: CredentialFields.Field?

        /// Describes an answer.
        public init(
            message: UInt8, refusal: PairingService.WriteRefusal? = nil, field: CredentialFields.Field? = nil
        ) {
            self.message = message
            self.refusal = refusal
            self.field = field
        }
    }

    private enum Kind: UInt8 {
        case welcome = 0x81
        case network = 0x82
        case networksEnd = 0x83
        case networksFailed = 0x84
        case answer = 0x85
        case state = 0x86
        case share = 0x90
        case sealed = 0x92
    }

    /// The first byte of ``sealed(_:)``, which sealing covers.
    static let sealedKind = Kind.sealed.rawValue

    /// Reads a whole message as it was on the air.
    /// - Returns: The message, and the conversation to which it belongs.
    public static func addressed(
        decoding data: Data
    ) throws(WireError) -> (conversation: UInt16, answer: ExchangeAnswer) {
        var reader = ByteReader(data)
        let kind = try Self.kind(&reader)
        let conversation = try reader.number("conversation")
        return (conversation, try ExchangeAnswer(kind, &reader))
    }

    /// Reads what was sealed: a message of those that may be.
    public init(decodingSealed data: Data) throws(WireError) {
        var reader = ByteReader(data)
        let kind = try Self.kind(&reader)
        try self.init(kind, &reader)
        guard isSealable else { throw .value(field: "kind", reason: "\(kind) is not sent sealed") }
    }

    /// Whether this is one that the protected layout carries encrypted once there is a key.
    public var isSealable: Bool {
        switch self {
        case .record, .answer, .state: true
        case .welcome, .share, .sealed: false
        }
    }

    /// The bytes on the air.
    public func encoded(for conversation: UInt16) throws(WireError) -> Data {
        Data([kind.rawValue]) + conversation.bigEndianBytes + (try body())
    }

    /// The bytes that are sealed.
    public func encodedForSealing() throws(WireError) -> Data { Data([kind.rawValue]) + (try body()) }

    private static func kind(_ reader: inout ByteReader) throws(WireError) -> Kind {
        let code = try reader.byte("kind")
        guard let kind = Kind(rawValue: code) else {
            throw .value(field: "kind", reason: "code \(code) is not known")
        }
        return kind
    }

    private init(_ kind: Kind, _ reader: inout ByteReader) throws(WireError) {
        switch kind {
        case .welcome: self = .welcome(try ExchangeWelcome(&reader))
        case .network, .networksEnd, .networksFailed:
            // The body is that of the standard layout's record; only the kind is numbered anew.
            let tag = kind.rawValue - Kind.network.rawValue + 1
            self = .record(try NetworkListRecord(decoding: Data([tag]) + reader.remainder()))
        case .answer: self = .answer(try Acknowledgement(&reader))
        case .state: self = .state(try PairingState(decoding: reader.remainder()))
        case .share:
            let share = try reader.bytes(ExchangeRequest.shareBytes, "share")
            self = .share(share, confirmation: try reader.bytes(ExchangeRequest.confirmationBytes, "confirmation"))
        case .sealed: self = .sealed(try ExchangeRequest.sealed(&reader))
        }
        try reader.end("\(kind)")
    }

    private var kind: Kind {
        switch self {
        case .welcome: .welcome
        case .record(.network): .network
        case .record(.end): .networksEnd
        case .record(.failed): .networksFailed
        case .answer: .answer
        case .state: .state
        case .share: .share
        case .sealed: .sealed
        }
    }

    private func body() throws(WireError) -> Data {
        switch self {
        case .welcome(let welcome): try welcome.encoded()
        case .record(let record): Data(try record.encoded().dropFirst())
        case .answer(let answer):
            Data([answer.message, UInt8(answer.refusal?.rawValue ?? 0), answer.field?.rawValue ?? 0])
        case .state(let state): state.encoded()
        case .share(let share, let confirmation): share + confirmation
        case .sealed(let sealed): sealed
        }
    }
}

extension ExchangeAnswer.Acknowledgement {
    init(_ reader: inout ByteReader) throws(WireError) {
        message = try reader.byte("message")
        let code = try reader.byte("refusal")
        let field = try reader.byte("field")
        if code != 0 {
            // A later version may have more reasons than this one knows; it is a refusal all the same.
            refusal = PairingService.WriteRefusal(rawValue: Int(code)) ?? .value
        }
        self.field = CredentialFields.Field(rawValue: field)
    }
}
