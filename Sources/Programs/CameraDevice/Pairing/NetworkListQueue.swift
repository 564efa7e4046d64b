import Foundation
import Wire

/// The network lists on their way to clients, notification by notification.
///
/// A pure value. Each record is a message of its own, split when its turn comes, by the length that the link allows then.
/// A new list for a client replaces what is left of the one before. The notification at the head stays there until
/// ``sent()``, so that a full radio queue loses nothing.
struct NetworkListQueue: Sendable {
    typealias Client = UUID

    /// A notification to send.
    struct Value: Sendable, Equatable {
        var client: Client
        var bytes: Data
    }

    private struct List: Sendable {
        var client: Client
        var messages: ArraySlice<Data>
        var frames: ArraySlice<Data> = []
    }

    private var lists: [List] = []
    private var messageNumbers: [Client: UInt8] = [:]

    /// Nothing to send.
    init() {}

    /// Whether nothing is left to send.
    var isEmpty: Bool { lists.isEmpty }

    /// Queues a whole list, or the report that the camera could not scan (nil).
    mutating func start(_ networks: [HeardNetwork]?, for client: Client) throws(WireError) {
        let records: [NetworkListRecord] =
            networks.map { $0.map(NetworkListRecord.network) + [.end(count: $0.count)] } ?? [.failed]
        var messages: [Data] = []
        for record in records { messages.append(try record.encoded()) }
        cancel(client)
        lists.append(List(client: client, messages: messages[...]))
    }

    /// The notification whose turn it is; the same again until ``sent()``.
    /// - Parameter limit: The longest value the link to a client takes, or nil when the client takes none: then its list
    ///   is dropped.
    mutating func next(limit: (Client) -> Int?) -> Value? {
        while var list = lists.first {
            if let bytes = list.frames.first { return Value(client: list.client, bytes: bytes) }
            guard let message = list.messages.popFirst(), let limit = limit(list.client),
                let frames = try? Frame.split(message, message: number(for: list.client), limit: limit)
            else {
                lists.removeFirst()
                continue
            }
            list.frames = frames.map(\.encoded)[...]
            lists[0] = list
        }
        return nil
    }

    /// The notification at the head has been sent. Clients take turns message by message.
    mutating func sent() {
        guard var list = lists.first else { return }
        _ = list.frames.popFirst()
        if list.frames.isEmpty {
            lists.removeFirst()
            if !list.messages.isEmpty { lists.append(list) }
        } else {
            lists[0] = list
        }
    }

    /// Drops what is left for a client. Its message numbers go on, so that half a message is not taken for a new one.
    mutating func cancel(_ client: Client) { lists.removeAll { $0.client == client } }

    /// Drops all that is known of a client whose link is gone.
    mutating func forget(_ client: Client) {
        cancel(client)
        messageNumbers[client] = nil
    }

    private mutating func number(for client: Client) -> UInt8 {
        let number = messageNumbers[client, default: 0]
        messageNumbers[client] = number &+ 1
        return number
    }
}
