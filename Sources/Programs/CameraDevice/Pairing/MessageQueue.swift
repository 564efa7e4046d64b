import Foundation
import Wire

/// The messages on their way to clients, notification by notification.
///
/// A pure value. A message is encoded and split when its turn comes: by the length that the link allows then, and so that
/// what is encrypted is encrypted in the order in which it is sent. Once its first frame is out a message is finished,
/// unless the client is gone, and no other comes between its frames. Some radios notify every subscriber of what is meant
/// for one (BlueZ 5.66, src/gatt-database.c), so the messages of a layout are numbered over all its clients: each of them
/// sees the numbers go up. The notification at the head stays there until ``sent()``, so that a full radio loses nothing.
struct MessageQueue: Sendable {
    /// Where messages go: a client, on a layout. Its notifications carry no more than the records of a network list on the
    /// standard layout, and whole answers on the others.
    struct Lane: Sendable, Hashable {
        var layout: PairingLayout
        var client: UUID
    }

    /// A notification to send.
    struct Value: Sendable, Equatable {
        var lane: Lane
        var bytes: Data
    }

    /// How many messages besides a network list may wait for one client; one that asks for more is told to wait.
    static let backlogLimit = 32

    private struct Traffic: Sendable {
        let lane: Lane
        var messages: [ExchangeAnswer] = []
        var list: ArraySlice<ExchangeAnswer> = []

        var isEmpty: Bool { messages.isEmpty && list.isEmpty }

        /// Answers go before what is left of a list.
        mutating func next() -> ExchangeAnswer? {
            messages.isEmpty ? list.popFirst() : messages.removeFirst()
        }
    }

    private struct Split: Sendable {
        let lane: Lane
        var frames: ArraySlice<Data>
    }

    /// In the order of their turns.
    private var traffic: [Traffic] = []
    private var underWay: Split?
    private var numbers: [PairingLayout: UInt8] = [:]

    /// Nothing to send.
    init() {}

    /// Whether nothing is left to send.
    var isEmpty: Bool { underWay == nil && traffic.isEmpty }

    /// How many messages wait for a client, those of a network list not counted.
    func backlog(of lane: Lane) -> Int { traffic.first { $0.lane == lane }?.messages.count ?? 0 }

    /// Queues a message.
    mutating func send(_ message: ExchangeAnswer, to lane: Lane) {
        change(lane) { traffic in
            // Who is so slow learns where the camera is, not each step on its way there.
            if case .state = message, traffic.messages.count >= Self.backlogLimit {
                traffic.messages.removeAll { if case .state = $0 { true } else { false } }
            }
            traffic.messages.append(message)
        }
    }

    /// Queues a whole network list, or the report that the camera could not scan (nil). It replaces what is left of the
    /// client's list before.
    mutating func start(_ networks: [HeardNetwork]?, for lane: Lane) {
        let records: [NetworkListRecord] =
            networks.map { $0.map(NetworkListRecord.network) + [.end(count: $0.count)] } ?? [.failed]
        change(lane) { $0.list = records.map(ExchangeAnswer.record)[...] }
    }

    /// The notification whose turn it is; the same again until ``sent()``. Clients take turns message by message.
    /// - Parameters:
    ///   - limit: The longest value the link to a client takes, or nil when the client takes none: then all that waits for
    ///     it is dropped.
    ///   - encode: A message's bytes, or nil when it is not to be sent any more.
    mutating func next(
        limit: (Lane) -> Int?, encode: (ExchangeAnswer, Lane) -> Data?
    ) -> Value? {
        while true {
            if let split = underWay, let bytes = split.frames.first { return Value(lane: split.lane, bytes: bytes) }
            underWay = nil
            guard var turn = traffic.first else { return nil }
            traffic.removeFirst()
            guard let limit = limit(turn.lane), let message = turn.next() else { continue }
            if !turn.isEmpty { traffic.append(turn) }
            let number = numbers[turn.lane.layout, default: 0]
            guard let bytes = encode(message, turn.lane),
                let frames = try? Frame.split(bytes, message: number, limit: limit)
            else { continue }
            numbers[turn.lane.layout] = number &+ 1
            underWay = Split(lane: turn.lane, frames: frames.map(\.encoded)[...])
        }
    }

    /// The notification at the head has been sent.
    mutating func sent() {
        underWay?.frames.removeFirst()
        if underWay?.frames.isEmpty == true { underWay = nil }
    }

    /// Drops what is left of a client's network list.
    mutating func endList(_ lane: Lane) { change(lane) { $0.list = [] } }

    /// Drops what waits for a client. A message that has begun is finished.
    mutating func drop(_ lane: Lane) { traffic.removeAll { $0.lane == lane } }

    /// A client does not take the messages of a layout any more.
    mutating func close(_ lane: Lane) {
        drop(lane)
        if underWay?.lane == lane { underWay = nil }
    }

    private mutating func change(_ lane: Lane, _ change: (inout Traffic) -> Void) {
        var turn = Traffic(lane: lane)
        let index = traffic.firstIndex { $0.lane == lane }
        if let index { turn = traffic[index] }
        change(&turn)
        switch (index, turn.isEmpty) {
        case (let index?, true): traffic.remove(at: index)
        case (let index?, false): traffic[index] = turn
        case (nil, true): break
        case (nil, false): traffic.append(turn)
        }
    }
}
