public import Foundation

/// What a client says to a camera on the chunked and the protected layout. Source: `docs/pairing-protocol.md`, section 4.6.
public enum ExchangeRequest: Sendable, Hashable {
    /// The version of the messages.
    public static let version: UInt8 = 1

    /// Which password the client's half of the protected handshake is made of.
    public enum PasswordKind: UInt8, Sendable, CaseIterable {
        /// The empty one: whoever pairs has no setup code.
        case none = 0
        /// The camera's setup code.
        case setupCode = 1
    }

    /// Begins a conversation, under a number that the client has drawn.
    case hello(conversation: UInt16)
    /// Scan for networks.
    case scan
    /// The credentials, all at once; they are applied.
    case credentials(CredentialFields)
    /// Where does the camera stand?
    case state
    /// The client's share of the key.
    case share(PasswordKind, Data)
    /// Proof that the client has the key.
    case confirm(Data)
    /// One of ``scan``, ``credentials(_:)`` and ``state``, encrypted.
    case sealed(Data)

    /// The first byte of a message.
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// ``ExchangeRequest/hello(conversation:)``.
        case hello = 0x01
        /// ``ExchangeRequest/scan``.
        case scan = 0x02
        /// ``ExchangeRequest/credentials(_:)``.
        case credentials = 0x03
        /// ``ExchangeRequest/state``.
        case state = 0x04
        /// ``ExchangeRequest/share(_:_:)``.
        case share = 0x10
        /// ``ExchangeRequest/confirm(_:)``.
        case confirm = 0x11
        /// ``ExchangeRequest/sealed(_:)``.
        case sealed = 0x12
    }

    /// Bytes of an uncompressed point of P-256.
    public static let shareBytes = 65
    /// Bytes of a confirmation: a whole HMAC-SHA256.
    public static let confirmationBytes = 32
    /// Bytes that sealing adds.
    public static let tagBytes = 16

    /// Reads a whole message.
    public init(decoding data: Data) throws(WireError) {
        var reader = ByteReader(data)
        let code = try reader.byte("kind")
        guard let kind = Kind(rawValue: code) else {
            throw .value(field: "kind", reason: "code \(code) is not known")
        }
        switch kind {
        case .hello:
            let version = try reader.byte("version")
            guard version == Self.version else { throw .version(Int(version)) }
            self = .hello(conversation: try reader.number("conversation"))
        case .scan: self = .scan
        case .credentials: self = .credentials(try CredentialFields(&reader))
        case .state: self = .state
        case .share:
            let code = try reader.byte("password kind")
            guard let kind = PasswordKind(rawValue: code) else {
                throw .value(field: "password kind", reason: "code \(code) is not known")
            }
            self = .share(kind, try reader.bytes(Self.shareBytes, "share"))
        case .confirm: self = .confirm(try reader.bytes(Self.confirmationBytes, "confirmation"))
        case .sealed: self = .sealed(try Self.sealed(&reader))
        }
        try reader.end("\(kind)")
    }

    /// Reads what was sealed: a message of those that may be.
    public init(decodingSealed data: Data) throws(WireError) {
        try self.init(decoding: data)
        guard isSealable else { throw .value(field: "kind", reason: "\(kind) is not sent sealed") }
    }

    /// Whether this is one that the protected layout carries encrypted, and no other way.
    public var isSealable: Bool {
        switch self {
        case .scan, .credentials, .state: true
        case .hello, .share, .confirm, .sealed: false
        }
    }

    /// The message's kind.
    public var kind: Kind {
        switch self {
        case .hello: .hello
        case .scan: .scan
        case .credentials: .credentials
        case .state: .state
        case .share: .share
        case .confirm: .confirm
        case .sealed: .sealed
        }
    }

    /// The message's bytes.
    public var encoded: Data {
        let head = Data([kind.rawValue])
        return switch self {
        case .hello(let conversation): head + [Self.version] + conversation.bigEndianBytes
        case .scan, .state: head
        case .credentials(let fields): head + fields.encoded
        case .share(let kind, let share): head + [kind.rawValue] + share
        case .confirm(let confirmation): head + confirmation
        case .sealed(let sealed): head + sealed
        }
    }

    static func sealed(_ reader: inout ByteReader) throws(WireError) -> Data {
        let sealed = reader.remainder()
        // The shortest message inside is its kind alone.
        guard sealed.count > tagBytes else {
            throw .length(field: "sealed", actual: sealed.count, allowed: tagBytes + 1...Frame.maximumMessageBytes)
        }
        return sealed
    }
}

extension UInt16 {
    var bigEndianBytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}
