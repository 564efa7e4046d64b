import Basics
import Combine
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite struct PassthroughSubjectTests {
    @Test func sendsToWhoeverIsSubscribed() {
        let subject = PassthroughSubject<Int, Fault>()
        let early = Probe<Int, Fault>()
        subject.send(0)
        subject.subscribe(early)
        subject.send(1)
        let late = Probe<Int, Fault>()
        subject.subscribe(late)
        subject.send(2)
        subject.send(completion: .failure(Fault("end")))
        subject.send(3)
        subject.send(completion: .finished)
        #expect(early.marbles == "1 2 !end")
        #expect(late.marbles == "2 !end")
    }

    @Test func aSubscriberAfterTheEndGetsTheCompletion() {
        let subject = PassthroughSubject<Int, Never>()
        subject.send(completion: .finished)
        let probe = Probe<Int, Never>(.none)
        subject.subscribe(probe)
        #expect(probe.marbles == "|")
        #expect(probe.subscriptionCount == 1)
    }

    @Test func valuesWithoutDemandAreMissed() {
        let subject = PassthroughSubject<Int, Never>()
        let probe = Probe<Int, Never>(.none)
        subject.subscribe(probe)
        subject.send(1)
        probe.request(.max(2))
        for value in 2...5 { subject.send(value) }
        probe.request(.max(1))
        subject.send(6)
        subject.send(7)
        #expect(probe.marbles == "2 3 6")
    }

    @Test func demandReturnedFromReceiveCounts() {
        let subject = PassthroughSubject<Int, Never>()
        let probe = Probe<Int, Never>(.max(1)) { _, value in value < 3 ? .max(1) : .none }
        subject.subscribe(probe)
        for value in 1...6 { subject.send(value) }
        #expect(probe.marbles == "1 2 3")
    }

    @Test func aReentrantSendIsDeliveredBeforeItReturnsAndInOneOrderToAll() {
        let subject = PassthroughSubject<Int, Never>()
        let first = Notes<Int>()
        let second = Notes<Int>()
        let seenInside = Notes<Int>()
        let one = subject.sink { value in
            first.add(value)
            if value == 1 {
                subject.send(2)
                seenInside.add(first.all.last ?? 0)
            }
        }
        let two = subject.sink { second.add($0) }
        subject.send(1)
        #expect(first.all == [1, 2])
        #expect(second.all == [1, 2])
        #expect(seenInside.all == [2])
        one.cancel()
        two.cancel()
    }

    @Test func aSubscriberCancelledFromInsideReceivesNothingMore() {
        let subject = PassthroughSubject<Int, Never>()
        let probe = Probe<Int, Never> { probe, value in
            if value == 2 { probe.cancel() }
            return .none
        }
        subject.subscribe(probe)
        for value in 1...4 { subject.send(value) }
        subject.send(completion: .finished)
        #expect(probe.marbles == "1 2")
    }

    @Test func cancellingInsideAlsoStopsValuesSentReentrantly() {
        let subject = PassthroughSubject<Int, Never>()
        let probe = Probe<Int, Never> { probe, value in
            if value == 1 {
                probe.cancel()
                subject.send(2)
            }
            return .none
        }
        subject.subscribe(probe)
        subject.send(1)
        #expect(probe.marbles == "1")
    }

    @Test func concurrentSendsArriveOnceEachWithoutOverlapAndInOneOrder() async throws {
        let subject = PassthroughSubject<Int, Never>()
        let inside = Locked(0)
        let overlaps = Tally()
        let first = Notes<Int>()
        let second = Notes<Int>()
        let one = subject.sink { value in
            let depth = inside.withLock { depth in
                depth += 1
                return depth
            }
            if depth != 1 { overlaps.add() }
            first.add(value)
            inside.withLock { $0 -= 1 }
        }
        let two = subject.sink { second.add($0) }
        let senders = 4
        let each = 50_000
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<senders {
                group.addTask { for index in 0..<each { subject.send(sender * each + index) } }
            }
        }
        #expect(overlaps.value == 0)
        #expect(first.all.count == senders * each)
        #expect(first.all == second.all)
        for sender in 0..<senders {
            let mine = first.all.filter { $0 / each == sender }
            #expect(mine == mine.sorted())
        }
        one.cancel()
        two.cancel()
    }

    @Test func twoSubjectsThatFeedEachOtherFromTwoThreadsDoNotDeadlock() async throws {
        let left = PassthroughSubject<Int, Never>()
        let right = PassthroughSubject<Int, Never>()
        let received = Tally()
        let one = left.sink { value in
            received.add()
            if value > 0 { right.send(value - 1) }
        }
        let two = right.sink { value in
            received.add()
            if value > 0 { left.send(value - 1) }
        }
        try await within(.seconds(120), "both threads to come back") {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for _ in 0..<5_000 { left.send(3) } }
                group.addTask { for _ in 0..<5_000 { right.send(3) } }
            }
        }
        #expect(received.value == 40_000)
        one.cancel()
        two.cancel()
    }

    @Test func anEndlessFeedbackLoopDoesNotUseUpTheStack() {
        let subject = PassthroughSubject<Int, Never>()
        let last = Locked(0)
        let token = subject.sink { value in
            last.withLock { $0 = value }
            if value < 30_000 { subject.send(value + 1) }
        }
        subject.send(1)
        #expect(last.withLock { $0 } == 30_000)
        token.cancel()
    }

    @Test func subscribersComeAndGoWhileOthersSend() async {
        let subject = PassthroughSubject<Int, Never>()
        let received = Tally()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { for value in 0..<5_000 { subject.send(value) } } }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<1_500 {
                        let token = subject.sink { _ in received.add() }
                        subject.send(0)
                        token.cancel()
                    }
                }
            }
        }
        #expect(received.value >= 3_000)
    }

    @Test func releasesItsSubscribersOnCancelAndOnCompletion() {
        final class Canary {}
        let subject = PassthroughSubject<Int, Never>()
        weak var cancelled: Canary?
        weak var completed: Canary?
        do {
            let canary = Canary()
            cancelled = canary
            let token = subject.sink { [canary] _ in _ = canary }
            token.cancel()
        }
        #expect(cancelled == nil)
        var token: AnyCancellable?
        do {
            let canary = Canary()
            completed = canary
            token = subject.sink { [canary] _ in _ = canary }
        }
        #expect(completed != nil)
        subject.send(completion: .finished)
        #expect(completed == nil)
        token?.cancel()
    }

    @Test func aSubscriptionDoesNotKeepTheSubject() {
        weak var released: PassthroughSubject<Int, Never>?
        let token: AnyCancellable
        do {
            let subject = PassthroughSubject<Int, Never>()
            released = subject
            token = subject.sink { _ in }
        }
        #expect(released == nil)
        token.cancel()
    }

    @Test func feedsFromAnUpstreamOnceSomebodyAsks() {
        let upstream = PassthroughSubject<Int, Never>()
        let subject = PassthroughSubject<Int, Never>()
        let feed = upstream.subscribe(subject)
        upstream.send(0)
        let probe = Probe<Int, Never>()
        subject.subscribe(probe)
        upstream.send(1)
        feed.cancel()
        upstream.send(2)
        #expect(probe.marbles == "1")
    }
}

@Suite struct CurrentValueSubjectTests {
    @Test func startsWithTheValueAndFollows() {
        let subject = CurrentValueSubject<Int, Never>(1)
        let early = Probe<Int, Never>()
        subject.subscribe(early)
        subject.send(2)
        subject.value = 3
        let late = Probe<Int, Never>()
        subject.subscribe(late)
        #expect(subject.value == 3)
        #expect(early.marbles == "1 2 3")
        #expect(late.marbles == "3")
    }

    @Test func withoutDemandOnlyTheNewestWaits() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let probe = Probe<Int, Never>(.max(1))
        subject.subscribe(probe)
        for value in 1...4 { subject.send(value) }
        #expect(probe.marbles == "0")
        probe.request(.max(2))
        subject.send(5)
        subject.send(6)
        #expect(probe.marbles == "0 4 5")
    }

    @Test func afterTheEndOnlyTheCompletionAndTheValueStays() {
        let subject = CurrentValueSubject<Int, Fault>(7)
        subject.send(completion: .failure(Fault()))
        subject.send(8)
        let probe = Probe<Int, Fault>()
        subject.subscribe(probe)
        #expect(probe.marbles == "!fault")
        #expect(subject.value == 7)
    }

    @Test func theCompletionDoesNotWaitForDemand() {
        let subject = CurrentValueSubject<Int, Never>(7)
        let probe = Probe<Int, Never>(.none)
        subject.subscribe(probe)
        subject.send(completion: .finished)
        #expect(probe.marbles == "|")
    }

    @Test func aReentrantSendKeepsTheOrder() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let seen = Notes<Int>()
        let one = subject.sink { if $0 == 1 { subject.value = 2 } }
        let two = subject.sink { seen.add($0) }
        subject.send(1)
        #expect(seen.all == [0, 1, 2])
        #expect(subject.value == 2)
        one.cancel()
        two.cancel()
    }

    @Test func underContentionTheLastValueSeenIsTheValueHeld() async {
        for _ in 0..<60 {
            let subject = CurrentValueSubject<Int, Never>(-1)
            let last = Locked(-1)
            let token = subject.sink { value in last.withLock { $0 = value } }
            await withTaskGroup(of: Void.self) { group in
                for sender in 0..<2 {
                    group.addTask { for index in 0..<50 { subject.send(sender * 50 + index) } }
                }
            }
            #expect(last.withLock { $0 } == subject.value)
            token.cancel()
        }
    }

    @Test func aDisplacedValueIsReleasedWithoutTheLock() {
        final class Reader: Sendable {
            let onRelease: @Sendable () -> Void
            init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
            deinit { onRelease() }
        }
        let subject = CurrentValueSubject<Reader?, Never>(nil)
        let released = Tally()
        subject.value = Reader { [weak subject] in
            // Deadlocks when it runs under the subject's lock.
            _ = subject?.value
            released.add()
        }
        subject.value = nil
        #expect(released.value == 1)
    }
}
