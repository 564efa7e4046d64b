import Foundation
import Wire

/// The conversations of a layout with one characteristic: frames become requests here, and messages bytes.
///
/// A pure value. A client that takes notifications has a ``Conversation`` from its first frame until it leaves. What it can
/// make the camera keep is one message under way (at most ``Wire/Frame/maximumMessageBytes``), and there are at most
/// ``maximumClients`` of them.
struct Exchange: Sendable {
    typealias Client = UUID
    typealias Refusal = PairingService.WriteRefusal

    /// What a whole message asks for.
    enum Incoming: Sendable, Equatable {
        /// Begin, under this number; and the whole message.
        case hello(UInt16, Data)
        /// Scan, take credentials, or tell the state; and the number of the message, here and below.
        case request(ExchangeRequest, UInt8)
        /// Agree upon a key.
        case share(ExchangeRequest.PasswordKind, Data, UInt8)
        /// The client's proof that it has the key.
        case confirm(Data, UInt8)
        /// It is none: say so.
        case refused(ExchangeAnswer.Acknowledgement)
    }

    /// More clients than a radio has links are refused.
    static let maximumClients = 64

    let layout: PairingLayout
    private var conversations: [Client: Conversation] = [:]

    /// Nobody is there.
    init(_ layout: PairingLayout) { self.layout = layout }

    /// Who is told what happens.
    var listeners: [MessageQueue.Lane] {
        conversations.filter { $0.value.isHearing }.map { MessageQueue.Lane(layout: layout, client: $0.key) }
    }

    /// Where a client's messages stand.
    func position(of client: Client) -> ExchangePosition {
        conversations[client]?.reassembler.position ?? ExchangePosition(message: 0, progress: .none)
    }

    /// Takes a frame.
    /// - Returns: What its message asks for, when this was the last frame of one.
    /// - Throws: What to answer instead of success. That changes nothing, so the same frame may come again; but one that is
    ///   none has ended the message under way.
    mutating func receive(_ frame: Data, from client: Client) throws(Refusal) -> Incoming? {
        if conversations[client] == nil, conversations.count >= Self.maximumClients { throw .busy }
        var conversation = conversations[client] ?? Conversation(on: layout)
        let before = conversation.reassembler
        defer { conversations[client] = conversation }
        let message: Data
        do {
            guard let whole = try conversation.reassembler.receive(frame) else { return nil }
            message = whole
        } catch {
            throw Refusal(error)
        }
        let number = conversation.reassembler.position.message
        do throws(ExchangeRefusal) {
            return try conversation.understood(message, number: number)
        } catch {
            // Without a conversation there is nothing that an answer could be addressed by.
            guard conversation.number != nil else {
                conversation.reassembler = before
                throw error.reason
            }
            return .refused(ExchangeAnswer.Acknowledgement(message: number, refusal: error.reason, field: error.field))
        }
    }

    /// Begins a conversation, or begins it anew.
    /// - Throws: `busy` when another client has one of this number.
    mutating func begin(
        _ number: UInt16, with client: Client, hello: Data, welcome message: ExchangeWelcome
    ) throws(Refusal) {
        guard !conversations.contains(where: { $0.key != client && $0.value.number == number }) else { throw .busy }
        let welcome: Data
        do {
            welcome = try ExchangeAnswer.welcome(message).encoded(for: number)
        } catch {
            throw Refusal(error)
        }
        conversations[client]?.begin(number, hello: hello, welcome: welcome)
    }

    /// The password whose proof by a client is awaited.
    func proving(_ client: Client) -> ExchangeRequest.PasswordKind? { conversations[client]?.proving }

    /// Answers a client's share.
    mutating func prove(
        _ share: Data, by verifier: PasswordVerifier, with randomness: PairingRandomness, to client: Client
    ) throws(ProtectedPairingError) -> ExchangeAnswer {
        guard let answer = try conversations[client]?.prove(share, by: verifier, with: randomness) else { throw .ended }
        return answer
    }

    /// Takes a client's proof.
    mutating func confirm(_ confirmation: Data, by client: Client) throws(ProtectedPairingError) {
        guard try conversations[client]?.confirm(confirmation) != nil else { throw .ended }
    }

    /// Awaits no proof of a client any more.
    mutating func forgetProof(of client: Client) { conversations[client]?.forgetProof() }

    /// Awaits no proof of anybody any more.
    mutating func forgetProofs() {
        for client in conversations.keys { conversations[client]?.forgetProof() }
    }

    /// A client is gone, or takes no notifications any more.
    mutating func forget(_ client: Client) { conversations[client] = nil }

    /// The bytes of a message to a client; nil when it is not to be sent any more.
    mutating func encode(_ message: ExchangeAnswer, for client: Client) -> Data? {
        conversations[client]?.encode(message)
    }
}

/// Why a request is not taken, and the field at fault.
struct ExchangeRefusal: Error, Equatable {
    var reason: PairingService.WriteRefusal
    var field: CredentialFields.Field?

    init(_ reason: PairingService.WriteRefusal, field: CredentialFields.Field? = nil) {
        (self.reason, self.field) = (reason, field)
    }

    /// The refusal that a decoding error calls for.
    init(_ error: WireError) {
        self.init(
            PairingService.WriteRefusal(error),
            field: CredentialFields.Field.allCases.first { "\($0)" == error.field })
    }
}
