import Foundation
import Testing
import Wire

@testable import CameraDevice

@Suite struct MessageQueueTests {
    typealias Lane = MessageQueue.Lane

    private let first = Lane(layout: .standard, client: UUID())
    private let second = Lane(layout: .standard, client: UUID())
    private let third = Lane(layout: .chunked, client: UUID())

    private func networks(_ count: Int) -> [HeardNetwork] {
        (0..<count).map {
            HeardNetwork(
                ssid: Data("network \($0) with a long name".utf8), security: .wpa2, rssi: -40 - $0 % 50,
                bands: .twoGigahertz)
        }
    }

    private func records(_ values: [Data]) throws -> [NetworkListRecord] {
        var reassembler = FrameReassembler()
        return try values.compactMap { try reassembler.receive($0) }.map { try NetworkListRecord(decoding: $0) }
    }

    private func encoded(_ message: ExchangeAnswer, _ lane: Lane) -> Data? {
        guard lane.layout == .standard, case .record(let record) = message else { return try? message.encoded(for: 1) }
        return try? record.encoded()
    }

    private func next(_ queue: inout MessageQueue, limit: Int = 20) -> MessageQueue.Value? {
        queue.next(limit: { _ in limit }, encode: encoded)
    }

    private func drained(_ queue: inout MessageQueue, limit: Int = 20) -> [MessageQueue.Value] {
        var values: [MessageQueue.Value] = []
        while let value = next(&queue, limit: limit) {
            #expect(value.bytes.count <= limit)
            values.append(value)
            queue.sent()
        }
        return values
    }

    private func bytes(_ values: [MessageQueue.Value], _ lane: Lane) -> [Data] {
        values.filter { $0.lane == lane }.map(\.bytes)
    }

    @Test(arguments: [Frame.minimumBytes, 20, 182, 512])
    func aListArrivesWholeAtEveryLength(limit: Int) throws {
        var queue = MessageQueue()
        let list = networks(100)
        queue.start(list, for: first)
        let received = try records(drained(&queue, limit: limit).map(\.bytes))
        #expect(received == list.map(NetworkListRecord.network) + [.end(count: 100)])
        #expect(queue.isEmpty)
    }

    @Test func noNetworksAndNoScanAreTold() throws {
        var queue = MessageQueue()
        queue.start([], for: first)
        queue.start(nil, for: second)
        let values = drained(&queue)
        #expect(try records(bytes(values, first)) == [.end(count: 0)])
        #expect(try records(bytes(values, second)) == [.failed])
    }

    @Test func whatWasNotSentComesAgain() throws {
        var queue = MessageQueue()
        queue.start(networks(1), for: first)
        let once = next(&queue)
        #expect(once != nil)
        #expect(next(&queue) == once)
        queue.sent()
        #expect(next(&queue) != once)
    }

    @Test func clientsTakeTurns() throws {
        var queue = MessageQueue()
        queue.start(networks(50), for: first)
        queue.start(networks(2), for: second)
        let order = drained(&queue, limit: 512).map(\.lane)
        #expect(Array(order.prefix(6)) == [first, second, first, second, first, second])
        #expect(order.count == 54)
    }

    /// BlueZ notifies all subscribers of everything: what one hears must be whole messages with numbers that go up.
    @Test func whatIsMeantForAnotherIsNoNoise() throws {
        var queue = MessageQueue()
        queue.start(networks(5), for: first)
        queue.start(networks(3), for: second)
        let received = try records(drained(&queue).map(\.bytes))
        #expect(received.count == 10)
        #expect(received.filter { if case .end = $0 { true } else { false } } == [.end(count: 3), .end(count: 5)])
    }

    @Test func layoutsAreNumberedApart() throws {
        var queue = MessageQueue()
        queue.start(networks(3), for: first)
        queue.send(.state(PairingState(phase: .joining)), to: third)
        queue.send(.state(PairingState(phase: .done)), to: third)
        let values = drained(&queue, limit: 512)
        #expect(try bytes(values, first).map { try Frame(decoding: $0).message } == [0, 1, 2, 3])
        #expect(try bytes(values, third).map { try Frame(decoding: $0).message } == [0, 1])
    }

    @Test func anAnswerGoesBeforeTheRestOfAListButNotIntoAMessage() throws {
        var queue = MessageQueue()
        queue.start(networks(2), for: third)
        _ = next(&queue)
        queue.sent()
        let state = PairingState(phase: .joining)
        queue.send(.state(state), to: third)
        var reassembler = FrameReassembler()
        let rest = drained(&queue).map(\.bytes)
        // The first frame of the first network is gone already.
        let whole = try ([try Frame(decoding: rest[0])].map(\.index) == [1] ? rest : [])
            .drop { try Frame(decoding: $0).message == 0 }.compactMap { try reassembler.receive($0) }
        let answers = try whole.map { try ExchangeAnswer.addressed(decoding: $0).answer }
        #expect(answers == [.state(state), .record(.network(networks(2)[1])), .record(.end(count: 2))])
    }

    @Test func aNewListReplacesTheRestOfTheOldOne() throws {
        var queue = MessageQueue()
        queue.start(networks(10), for: first)
        var values: [Data] = []
        for _ in 0..<4 {
            // Four frames of 20 bytes: the second message is under way, and is finished.
            values.append(try #require(next(&queue)).bytes)
            queue.sent()
        }
        queue.start(networks(3), for: first)
        values += drained(&queue).map(\.bytes)
        #expect(
            try records(values)
                == (networks(2) + networks(3)).map(NetworkListRecord.network) + [.end(count: 3)])
    }

    @Test func whatIsDroppedEndsWithAMessageAndWhatIsClosedAtOnce() throws {
        var queue = MessageQueue()
        queue.start(networks(10), for: first)
        let begun = try #require(next(&queue)).bytes
        queue.sent()
        var closed = queue
        queue.drop(first)
        #expect(try records([begun] + drained(&queue).map(\.bytes)) == [.network(networks(1)[0])])
        #expect(queue.isEmpty)
        closed.close(first)
        #expect(closed.isEmpty)
        #expect(next(&closed) == nil)
    }

    @Test func aListForSomebodyWhoTakesNoneIsDropped() throws {
        var queue = MessageQueue()
        queue.start(networks(10), for: first)
        queue.start(networks(1), for: second)
        var lanes: [Lane] = []
        while let value = queue.next(limit: { $0 == second ? 512 : nil }, encode: encoded) {
            lanes.append(value.lane)
            queue.sent()
        }
        #expect(lanes == [second, second])
        #expect(queue.isEmpty)
    }

    @Test func whatIsNotToBeSentAnyMoreTakesNoNumber() throws {
        var queue = MessageQueue()
        queue.send(.state(PairingState(phase: .joining)), to: third)
        queue.send(.state(PairingState(phase: .done)), to: third)
        let value = queue.next(limit: { _ in 20 }) { message, _ in
            message == .state(PairingState(phase: .joining)) ? nil : try? message.encoded(for: 1)
        }
        #expect(try value.map { try Frame(decoding: $0.bytes).message } == 0)
    }

    /// A client that does not take its notifications makes the camera keep little.
    @Test func statesDoNotPileUp() throws {
        var queue = MessageQueue()
        for _ in 0..<1000 {
            queue.send(.state(PairingState(phase: .joining)), to: third)
            queue.send(.state(PairingState(phase: .failed, failure: .noAddress)), to: third)
        }
        #expect(queue.backlog(of: third) <= MessageQueue.backlogLimit)
        let last = try #require(drained(&queue, limit: 512).last)
        let message = try Frame(decoding: last.bytes).payload.dropFirst(2)
        let answer = try ExchangeAnswer.addressed(decoding: Data(message)).answer
        #expect(answer == .state(PairingState(phase: .failed, failure: .noAddress)))
    }

    @Test func moreThan256MessagesWrapTheirNumber() throws {
        var queue = MessageQueue()
        var reassembler = FrameReassembler()
        for round in 0..<4 {
            queue.start(networks(100), for: first)
            let received = try drained(&queue, limit: 30).compactMap { try reassembler.receive($0.bytes) }
            #expect(received.count == 101, "round \(round)")
        }
    }
}
