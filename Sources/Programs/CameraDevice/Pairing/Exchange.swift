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
        /// Begin, under this number.
        case hello(UInt16)
        /// A request of a conversation, and the number of its message.
        case request(ExchangeRequest, UInt8)
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
    /// - Throws: What to answer instead of success. A frame that is ahead changes nothing; one that is none has ended the
    ///   message under way.
    mutating func receive(_ frame: Data, from client: Client) throws(Refusal) -> Incoming? {
        if conversations[client] == nil, conversations.count >= Self.maximumClients { throw .busy }
        var conversation = conversations[client] ?? Conversation()
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
            return try conversation.understood(message, number: number, on: layout)
        } catch {
            // Without a conversation there is nothing that an answer could be addressed by.
            guard conversation.number != nil else { throw error.reason }
            return .refused(ExchangeAnswer.Acknowledgement(message: number, refusal: error.reason, field: error.field))
        }
    }

    /// Begins a conversation, or begins it anew.
    /// - Throws: `busy` when another client has one of this number.
    mutating func begin(
        _ number: UInt16, with client: Client
    ) throws(Refusal) {
        guard !conversations.contains(where: { $0.key != client && $0.value.number == number }) else { throw .busy }
        conversations[client]?.begin(number)
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
