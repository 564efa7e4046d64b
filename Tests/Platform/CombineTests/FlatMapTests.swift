import Basics
import Combine
import Testing

@Suite struct FlatMapTests {
    @Test func sendsTheValuesOfAll() {
        let outer = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
        let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        let probe = Probe<Int, Never>()
        outer.flatMap { $0 }.subscribe(probe)
        outer.send(a)
        a.send(1)
        outer.send(b)
        b.send(2)
        a.send(3)
        outer.send(completion: .finished)
        a.send(completion: .finished)
        #expect(probe.marbles == "1 2 3")
        b.send(completion: .finished)
        #expect(probe.marbles == "1 2 3 |")
    }

    @Test func asksForNoMoreThanMaxPublishersAtATime() {
        let asked = Notes<String>()
        let started = Notes<Int>()
        let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        let probe = Probe<Int, Never>()
        (0..<4).publisher
            .handleEvents(receiveRequest: { asked.add("\($0)") })
            .flatMap(maxPublishers: .max(2)) { index in
                started.add(index)
                return subjects[index]
            }
            .subscribe(probe)
        #expect(asked.all == ["max(2)"])
        #expect(started.all == [0, 1])
        subjects[1].send(completion: .finished)
        #expect(started.all == [0, 1, 2])
        subjects[0].send(completion: .finished)
        subjects[2].send(completion: .finished)
        subjects[3].send(7)
        subjects[3].send(completion: .finished)
        #expect(probe.marbles == "7 |")
    }

    @Test func heedsDemandAndAsksEachForOneAtATime() {
        let asked = Notes<String>()
        let probe = Probe<Int, Never>(.max(2))
        Just(0).flatMap { _ in (1...5).publisher.handleEvents(receiveRequest: { asked.add("\($0)") }) }
            .subscribe(probe)
        #expect(probe.marbles == "1 2")
        #expect(Set(asked.all) == ["max(1)"])
        probe.request(.max(1))
        #expect(probe.marbles == "1 2 3")
        probe.request(.unlimited)
        #expect(probe.marbles == "1 2 3 4 5 |")
    }

    @Test func oneFailureEndsAllAndCancelsTheOthers() {
        let cancels = Tally()
        let a = PassthroughSubject<Int, Fault>()
        let b = PassthroughSubject<Int, Fault>()
        let probe = Probe<Int, Fault>()
        [a, b].publisher.setFailureType(to: Fault.self)
            .handleEvents(receiveCancel: { cancels.add() })
            .flatMap { $0.handleEvents(receiveCancel: { cancels.add() }) }
            .subscribe(probe)
        a.send(1)
        b.send(completion: .failure(Fault()))
        a.send(2)
        #expect(probe.marbles == "1 !fault")
        #expect(cancels.value == 1)
    }

    @Test func failureTypesAreMatched() {
        #expect(Just(1).flatMap { Fail<Int, Fault>(error: Fault("\($0)")) }.marbles() == "!1")
        #expect(Fail<Int, Fault>(error: Fault()).flatMap { Just($0) }.marbles() == "!fault")
        #expect(Just(1).flatMap { Just($0 + 1) }.marbles() == "2 |")
        #expect(
            Result<Int, Fault>.success(1).publisher.flatMap { Result<Int, Fault>.success($0).publisher }.marbles()
                == "1 |")
    }

    @Test func fromManyThreads() async {
        let inner = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        let seen = Tally()
        let token = inner.publisher.flatMap { $0 }.sink { _ in seen.add() }
        await withTaskGroup(of: Void.self) { group in
            for subject in inner {
                group.addTask {
                    for index in 0..<5_000 { subject.send(index) }
                    subject.send(completion: .finished)
                }
            }
        }
        #expect(seen.value == 20_000)
        token.cancel()
    }
}

@Suite struct SwitchToLatestTests {
    @Test func followsTheNewest() {
        let outer = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
        let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        let probe = Probe<Int, Never>()
        outer.switchToLatest().subscribe(probe)
        outer.send(a)
        a.send(1)
        outer.send(b)
        a.send(2)
        b.send(3)
        outer.send(completion: .finished)
        b.send(4)
        b.send(completion: .finished)
        #expect(probe.marbles == "1 3 4 |")
    }

    @Test func carriesTheDemandOver() {
        let outer = PassthroughSubject<Publishers.Sequence<ClosedRange<Int>, Never>, Never>()
        let probe = Probe<Int, Never>(.max(3))
        outer.switchToLatest().subscribe(probe)
        outer.send((1...2).publisher)
        outer.send((11...19).publisher)
        #expect(probe.marbles == "1 2 11")
        probe.request(.max(1))
        #expect(probe.marbles == "1 2 11 12")
    }

    @Test func finishesOnlyWhenBothHave() {
        let outer = PassthroughSubject<Just<Int>, Never>()
        let probe = Probe<Int, Never>()
        outer.switchToLatest().subscribe(probe)
        outer.send(Just(1))
        outer.send(Just(2))
        #expect(probe.marbles == "1 2")
        outer.send(completion: .finished)
        #expect(probe.marbles == "1 2 |")
    }

    @Test func failureTypesAreMatched() {
        #expect(Just(1).map { _ in Fail<Int, Fault>(error: Fault()) }.switchToLatest().marbles() == "!fault")
        let outer = Result<Int, Fault>.success(1).publisher.map { Just($0) }
        #expect(outer.switchToLatest().marbles() == "1 |")
    }
}
