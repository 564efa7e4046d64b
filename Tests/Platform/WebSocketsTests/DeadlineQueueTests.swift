import Testing

@testable import WebSockets

@Suite("Deadline queue")
struct DeadlineQueueTests {
    @Test func momentsComeInOrderAndNotBeforeTheirTime() {
        var queue = DeadlineQueue<Int>()
        #expect(queue.next == nil)
        let moments = (0..<500).map { ($0 &* 7919) % 500 }
        for moment in moments { queue.add(moment, at: .seconds(moment)) }
        #expect(queue.next == .zero)
        var taken: [Int] = []
        while let (moment, owner) = queue.take(dueAt: .seconds(249)) {
            #expect(moment == .seconds(owner))
            taken.append(owner)
        }
        #expect(taken == Array(0..<250))
        #expect(queue.next == .seconds(250))
        while let (_, owner) = queue.take(dueAt: .seconds(1000)) { taken.append(owner) }
        #expect(taken == Array(0..<500))
    }

    @Test func equalMomentsAreAllKept() {
        var queue = DeadlineQueue<Int>()
        for owner in 0..<20 { queue.add(owner, at: .seconds(1)) }
        var owners: Set<Int> = []
        while let (_, owner) = queue.take(dueAt: .seconds(1)) { owners.insert(owner) }
        #expect(owners.count == 20)
    }
}
