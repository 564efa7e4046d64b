import Basics
import Dispatch
import TestSupport
import Testing

@Suite("Turns")
struct TurnsTests {
    private let queue = DispatchQueue(label: "turns")

    @Test("work handed over in a turn is done at its end, in order, before the queue's own")
    func endOfTurn() async throws {
        let turns = Turns(of: queue)
        let said = Locked<[String]>([])
        let say: @Sendable (String) -> Void = { word in said.withLock { $0.append(word) } }
        queue.sync {
            turns.take {
                queue.async { say("queue") }
                turns.async {
                    say("first")
                    turns.async { say("third") }
                }
                turns.async { say("second") }
                say("body")
            }
            say("after")
        }
        queue.sync {}
        #expect(said.withLock { $0 } == ["body", "first", "second", "third", "after", "queue"])
    }

    @Test("work handed over between turns is done on the queue, in order")
    func betweenTurns() async throws {
        let turns = Turns(of: queue)
        let numbers = Locked<[Int]>([])
        try await within(.seconds(20), "the last piece of work") {
            await withCheckedContinuation { continuation in
                for number in 0..<1000 {
                    turns.async { [queue] in
                        dispatchPrecondition(condition: .onQueue(queue))
                        numbers.withLock { $0.append(number) }
                        if number == 999 { continuation.resume() }
                    }
                }
            }
        }
        #expect(numbers.withLock { $0 } == Array(0..<1000))
    }

    @Test("work that always leads to more does not keep the queue for itself")
    func endlessWork() async throws {
        let turns = Turns(of: queue)
        let isEnough = Locked(false)
        @Sendable func again() { if !isEnough.withLock({ $0 }) { turns.async { again() } } }
        try await within(.seconds(20), "the turn of the queue's own work") {
            await withCheckedContinuation { continuation in
                queue.async { [queue] in
                    turns.take {
                        again()
                        queue.async {
                            isEnough.withLock { $0 = true }
                            continuation.resume()
                        }
                    }
                }
            }
        }
    }

    @Test("a queue knows its turns while somebody holds them")
    func lifetime() throws {
        #expect(Turns.of(queue) == nil)
        var turns: Turns? = Turns(of: queue)
        #expect(Turns.of(queue) === turns)
        turns = nil
        #expect(Turns.of(queue) == nil)
    }
}
