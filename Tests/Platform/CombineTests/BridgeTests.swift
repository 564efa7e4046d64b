import Basics
import Combine
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite struct AsyncValuesTests {
    @Test func aSequenceIsIteratedToItsEnd() async throws {
        var seen: [Int] = []
        for await value in (1...5).publisher.values { seen.append(value) }
        #expect(seen == [1, 2, 3, 4, 5])
    }

    @Test func oneValueIsAskedForAtATime() async {
        let asked = Notes<String>()
        let values = (1...9).publisher.handleEvents(receiveRequest: { asked.add("\($0)") }).values
        var iterator = values.makeAsyncIterator()
        #expect(asked.all == [])
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == 2)
        #expect(asked.all == ["max(1)", "max(1)"])
    }

    @Test func anErrorIsThrownOnceAfterTheValues() async throws {
        let publisher = [1, 2].publisher.setFailureType(to: Fault.self).append(Fail(error: Fault()))
        var seen: [Int] = []
        await #expect(throws: Fault()) { for try await value in publisher.values { seen.append(value) } }
        #expect(seen == [1, 2])
        var iterator = Fail<Int, Fault>(error: Fault()).values.makeAsyncIterator()
        await #expect(throws: Fault()) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func aPublishedPropertyIsFollowed() async throws {
        final class Model: @unchecked Sendable {
            // Unchecked because @Published is safe from any thread.
            @Published var count = 0
        }
        let model = Model()
        let seen = Notes<Int>()
        try await within(.seconds(20), "the count of 3") {
            for await count in model.$count.values {
                seen.add(count)
                if count == 3 { break }
                model.count = count + 1
            }
        }
        #expect(seen.all == [0, 1, 2, 3])
    }

    @Test func aCancelledTaskEndsTheIterationAndTheSubscription() async throws {
        let subject = PassthroughSubject<Int, Never>()
        let (subscribed, subscription) = AsyncStream<Void>.makeStream()
        let cancels = Tally()
        let task = Task {
            let values = subject.handleEvents(
                receiveCancel: { cancels.add() },
                receiveRequest: { _ in subscription.finish() }
            ).values
            var count = 0
            for await _ in values { count += 1 }
            return count
        }
        try await within { for await _ in subscribed {} }
        task.cancel()
        #expect(await task.value == 0)
        #expect(cancels.value == 1)
    }

    @Test func droppingTheIteratorEndsTheSubscription() {
        let cancels = Tally()
        let subject = PassthroughSubject<Int, Never>()
        do {
            _ = subject.handleEvents(receiveCancel: { cancels.add() }).values.makeAsyncIterator()
        }
        #expect(cancels.value == 1)
    }

    @Test func valuesFromManyThreadsThroughABuffer() async throws {
        let subject = PassthroughSubject<Int, Never>()
        let gathered = try await within(.seconds(60), "all values") {
            let values = subject.buffer(size: .max, prefetch: .byRequest, whenFull: .dropOldest).values
            var iterator = values.makeAsyncIterator()
            async let sending: Void = withTaskGroup(of: Void.self) { group in
                for sender in 0..<3 {
                    group.addTask { for index in 0..<500 { subject.send(sender * 500 + index) } }
                }
            }
            var seen: Set<Int> = []
            while seen.count < 1_500, let value = await iterator.next() { seen.insert(value) }
            await sending
            return seen.count
        }
        #expect(gathered == 1_500)
    }
}

@Suite struct TimerTests {
    @Test func ticksOnTheMainRunLoopUntilCancelled() async throws {
        let (ticks, continuation) = AsyncStream<Void>.makeStream()
        let token = Timer.publish(every: 0.005, on: .main, in: .common)
            .autoconnect()
            .sink { _ in
                dispatchPrecondition(condition: .onQueue(.main))
                continuation.yield()
            }
        let count = try await within(.seconds(20), "three ticks") {
            var count = 0
            for await _ in ticks {
                count += 1
                if count == 3 { break }
            }
            return count
        }
        #expect(count == 3)
        token.cancel()
    }

    @Test func waitsForConnect() {
        let timer = Timer.publish(every: 0.001, on: .main, in: .common)
        let probe = Probe<Date, Never>()
        timer.subscribe(probe)
        #expect(probe.subscriptionCount == 1)
        #expect(probe.events.isEmpty)
        probe.cancel()
    }

    @Test func aTimerOnARepeatingSchedulerOfOurOwn() {
        let scheduler = TestScheduler()
        let subject = PassthroughSubject<Int, Never>()
        let probe = Probe<Int, Never>()
        subject.subscribe(probe)
        let token = scheduler.schedule(after: scheduler.now.advanced(by: .seconds(3)), interval: .seconds(3)) {
            subject.send(Int(scheduler.now.milliseconds))
        }
        scheduler.advance(by: 10_000)
        token.cancel()
        scheduler.advance(by: 10_000)
        #expect(probe.marbles == "3000 6000 9000")
    }
}

@Suite struct NotificationTests {
    @Test func publishesByNameAndObjectUntilCancelled() {
        let center = NotificationCenter()
        let (name, other) = (Notification.Name("changed"), Notification.Name("other"))
        let sender = NSObject()
        let (all, mine) = (Tally(), Tally())
        let one = center.publisher(for: name).sink { _ in all.add() }
        let two = center.publisher(for: name, object: sender).sink { _ in mine.add() }
        center.post(name: name, object: nil)
        center.post(name: name, object: sender)
        center.post(name: other, object: sender)
        one.cancel()
        two.cancel()
        center.post(name: name, object: sender)
        #expect(all.value == 2)
        #expect(mine.value == 1)
    }
}
