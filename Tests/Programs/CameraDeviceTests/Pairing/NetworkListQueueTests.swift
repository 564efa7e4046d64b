import Foundation
import Testing
import Wire

@testable import CameraDevice

@Suite struct NetworkListQueueTests {
    private let first = UUID()
    private let second = UUID()

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

    private func drained(_ queue: inout NetworkListQueue, limit: Int) -> [UUID: [Data]] {
        var values: [UUID: [Data]] = [:]
        while let value = queue.next(limit: { _ in limit }) {
            #expect(value.bytes.count <= limit)
            values[value.client, default: []].append(value.bytes)
            queue.sent()
        }
        return values
    }

    @Test(arguments: [Frame.minimumBytes, 20, 182, 512])
    func aListArrivesWholeAtEveryLength(limit: Int) throws {
        var queue = NetworkListQueue()
        let list = networks(100)
        try queue.start(list, for: first)
        let received = try records(drained(&queue, limit: limit)[first] ?? [])
        #expect(received == list.map(NetworkListRecord.network) + [.end(count: 100)])
        #expect(queue.isEmpty)
    }

    @Test func noNetworksAndNoScanAreTold() throws {
        var queue = NetworkListQueue()
        try queue.start([], for: first)
        try queue.start(nil, for: second)
        let values = drained(&queue, limit: 20)
        #expect(try records(values[first] ?? []) == [.end(count: 0)])
        #expect(try records(values[second] ?? []) == [.failed])
    }

    @Test func whatWasNotSentComesAgain() throws {
        var queue = NetworkListQueue()
        try queue.start(networks(1), for: first)
        let once = queue.next { _ in 20 }
        #expect(once != nil)
        #expect(queue.next { _ in 20 } == once)
        queue.sent()
        #expect(queue.next { _ in 20 } != once)
    }

    @Test func clientsTakeTurns() throws {
        var queue = NetworkListQueue()
        try queue.start(networks(50), for: first)
        try queue.start(networks(2), for: second)
        var order: [UUID] = []
        while let value = queue.next(limit: { _ in 512 }) {
            order.append(value.client)
            queue.sent()
        }
        #expect(Array(order.prefix(6)) == [first, second, first, second, first, second])
        #expect(order.count == 54)
    }

    @Test func aNewListReplacesTheRestOfTheOldOne() throws {
        var queue = NetworkListQueue()
        try queue.start(networks(10), for: first)
        var values: [Data] = []
        for _ in 0..<4 {
            // Four frames of 20 bytes: the second message is cut in the middle.
            values.append(try #require(queue.next { _ in 20 }).bytes)
            queue.sent()
        }
        try queue.start(networks(3), for: first)
        values += drained(&queue, limit: 20)[first] ?? []
        let received = try records(values)
        #expect(received.suffix(4) == networks(3).map(NetworkListRecord.network) + [.end(count: 3)])
        #expect(received.count < 10)
    }

    @Test func aListForSomebodyWhoTakesNoneIsDropped() throws {
        var queue = NetworkListQueue()
        try queue.start(networks(10), for: first)
        try queue.start(networks(1), for: second)
        let values = sequence(state: ()) { _ -> NetworkListQueue.Value? in
            defer { queue.sent() }
            return queue.next { $0 == second ? 512 : nil }
        }
        #expect(Array(values).map(\.client) == [second, second])
        #expect(queue.isEmpty)
    }

    @Test func moreThan256MessagesWrapTheirNumber() throws {
        var queue = NetworkListQueue()
        for round in 0..<4 {
            try queue.start(networks(100), for: first)
            let received = try records(drained(&queue, limit: 30)[first] ?? [])
            #expect(received.count == 101, "round \(round)")
        }
    }
}
