import Foundation
import Wire

/// What a client and the camera say to each other on an exchange, from the client's side of the link: its message under
/// way and the number of the conversation. A pure value.
struct Conversation: Sendable {
    /// The message under way.
    var reassembler = FrameReassembler()
    /// What the client calls the conversation; nil until it has said hello.
    private(set) var number: UInt16?

    /// Nothing said.
    init() {}

    /// Whether the client is told what happens.
    var isHearing: Bool { number != nil }

    /// What a message asks for.
    /// - Parameter number: The message's number.
    func understood(
        _ message: Data, number: UInt8, on layout: PairingLayout
    ) throws(ExchangeRefusal) -> Exchange.Incoming {
        guard let code = message.first else { throw ExchangeRefusal(.length) }
        // Of later versions, say.
        guard ExchangeRequest.Kind(rawValue: code) != nil else { throw ExchangeRefusal(.unknownCommand) }
        let request: ExchangeRequest
        do {
            request = try ExchangeRequest(decoding: message)
        } catch {
            throw ExchangeRefusal(error)
        }
        if case .hello(let conversation) = request { return .hello(conversation) }
        guard self.number != nil else { throw ExchangeRefusal(.noSession) }
        guard request.isSealable else { throw ExchangeRefusal(.unknownCommand) }
        return .request(request, number)
    }

    /// The client has said hello.
    mutating func begin(_ number: UInt16) { self.number = number }

    /// A message's bytes.
    mutating func encode(_ message: ExchangeAnswer) -> Data? {
        guard let number else { return nil }
        do {
            return try message.encoded(for: number)
        } catch {
            preconditionFailure("merged networks and checked names are within their limits: \(error)")
        }
    }
}
