import Basics
import Combine
import Testing

@Suite struct SharingTests {
    private final class Source {
        let subject = PassthroughSubject<Int, Never>()
        let subscriptions = Tally()
        let cancels = Tally()
        var publisher: some Publisher<Int, Never> {
            subject.handleEvents(
                receiveSubscription: { [subscriptions] _ in subscriptions.add() },
                receiveCancel: { [cancels] in cancels.add() })
        }
    }

    @Test func shareSubscribesOnceAndLeavesWithTheLast() {
        let source = Source()
        let shared = source.publisher.share()
        let (one, two) = (Probe<Int, Never>(), Probe<Int, Never>())
        shared.subscribe(one)
        source.subject.send(1)
        shared.subscribe(two)
        source.subject.send(2)
        #expect(source.subscriptions.value == 1)
        one.cancel()
        source.subject.send(3)
        #expect(source.cancels.value == 0)
        two.cancel()
        #expect(source.cancels.value == 1)
        #expect(one.marbles == "1 2")
        #expect(two.marbles == "2 3")
        let again = Probe<Int, Never>()
        shared.subscribe(again)
        source.subject.send(4)
        #expect(source.subscriptions.value == 2)
        #expect(again.marbles == "4")
    }

    @Test func aSubscriptionKeepsWhatIsShared() {
        let source = Source()
        let seen = Notes<Int>()
        let token = source.publisher.share().map { $0 * 2 }.sink { seen.add($0) }
        source.subject.send(1)
        #expect(seen.all == [2])
        token.cancel()
        #expect(source.cancels.value == 1)
    }

    @Test func aLateSubscriberGetsTheCompletionWithoutASecondConnection() {
        let source = Source()
        let shared = source.publisher.share()
        let early = Probe<Int, Never>()
        shared.subscribe(early)
        source.subject.send(completion: .finished)
        let late = Probe<Int, Never>()
        shared.subscribe(late)
        #expect(early.marbles == "|")
        #expect(late.marbles == "|")
        #expect(source.subscriptions.value == 1)
    }

    @Test func multicastWaitsForConnect() {
        let source = Source()
        let multicast = source.publisher.multicast(subject: PassthroughSubject<Int, Never>())
        let probe = Probe<Int, Never>()
        multicast.subscribe(probe)
        source.subject.send(1)
        #expect(source.subscriptions.value == 0)
        let connection = multicast.connect()
        source.subject.send(2)
        connection.cancel()
        source.subject.send(3)
        #expect(probe.marbles == "2")
        #expect(source.cancels.value == 1)
    }

    @Test func multicastThroughACurrentValueReplays() {
        let source = Source()
        let shared = source.publisher.multicast { CurrentValueSubject<Int, Never>(0) }.autoconnect()
        let one = Probe<Int, Never>()
        shared.subscribe(one)
        source.subject.send(1)
        let two = Probe<Int, Never>()
        shared.subscribe(two)
        #expect(one.marbles == "0 1")
        #expect(two.marbles == "1")
    }

    @Test func makeConnectableHoldsASequenceBack() {
        let connectable = (1...3).publisher.makeConnectable()
        let (one, two) = (Probe<Int, Never>(), Probe<Int, Never>())
        connectable.subscribe(one)
        connectable.subscribe(two)
        #expect(one.marbles == "")
        let connection = connectable.connect()
        #expect(one.marbles == "1 2 3 |")
        #expect(two.marbles == "1 2 3 |")
        connection.cancel()
    }

    @Test func subscribersComeAndGoFromManyThreads() async {
        let source = PassthroughSubject<Int, Never>()
        let connections = Tally()
        let disconnections = Tally()
        let shared = Shared(
            source.handleEvents(
                receiveSubscription: { _ in connections.add() }, receiveCancel: { disconnections.add() }
            ).share())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<500 {
                        let token = shared.publisher.sink { _ in }
                        source.send(1)
                        token.cancel()
                    }
                }
            }
        }
        #expect(connections.value >= 1)
        #expect(connections.value == disconnections.value)
    }

    private struct Shared<P: Publisher>: @unchecked Sendable {
        // Unchecked because what is shared is safe from any thread.
        let publisher: P
        init(_ publisher: P) { self.publisher = publisher }
    }
}

@Suite struct BufferTests {
    @Test func keepsWhatIsNotAskedFor() {
        let subject = PassthroughSubject<Int, Never>()
        let probe = Probe<Int, Never>(.none)
        subject.buffer(size: 3, prefetch: .byRequest, whenFull: .dropNewest).subscribe(probe)
        for value in 1...5 { subject.send(value) }
        probe.request(.max(2))
        #expect(probe.marbles == "1 2")
        subject.send(6)
        subject.send(completion: .finished)
        #expect(probe.marbles == "1 2")
        probe.request(.unlimited)
        #expect(probe.marbles == "1 2 3 6 |")
    }

    @Test func dropsTheOldest() {
        let subject = PassthroughSubject<Int, Never>()
        let probe = Probe<Int, Never>(.none)
        subject.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).subscribe(probe)
        for value in 1...5 { subject.send(value) }
        probe.request(.unlimited)
        #expect(probe.marbles == "4 5")
    }

    @Test func failsWhenFullAfterWhatItKept() {
        let subject = PassthroughSubject<Int, Fault>()
        let probe = Probe<Int, Fault>(.none)
        subject.buffer(size: 2, prefetch: .byRequest, whenFull: .customError { Fault("full") }).subscribe(probe)
        for value in 1...4 { subject.send(value) }
        #expect(probe.marbles == "")
        probe.request(.unlimited)
        #expect(probe.marbles == "1 2 !full")
    }

    @Test func keepFullAsksForOneMoreWithEachSentOn() {
        let asked = Notes<String>()
        let probe = Probe<Int, Never>(.none)
        (1...9).publisher.handleEvents(receiveRequest: { asked.add("\($0)") })
            .buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest).subscribe(probe)
        #expect(asked.all == ["max(3)"])
        probe.request(.max(2))
        #expect(probe.marbles == "1 2")
        #expect(asked.all == ["max(3)", "max(1)", "max(1)"])
        probe.request(.unlimited)
        #expect(probe.marbles == "1 2 3 4 5 6 7 8 9 |")
    }
}
