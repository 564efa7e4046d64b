import Basics
import Combine
import TestSupport
import Testing

@Suite struct MergeTests {
    @Test func sendsAsTheyComeAndFinishesWithTheLast() {
        let (a, b, c) = (
            PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()
        )
        let probe = Probe<Int, Never>()
        a.merge(with: b, c).subscribe(probe)
        a.send(1)
        c.send(2)
        a.send(completion: .finished)
        b.send(3)
        b.send(completion: .finished)
        c.send(completion: .finished)
        #expect(probe.marbles == "1 2 3 |")
    }

    @Test func failsWithTheFirstThatFails() {
        let (a, b) = (PassthroughSubject<Int, Fault>(), PassthroughSubject<Int, Fault>())
        let probe = Probe<Int, Fault>()
        a.merge(with: b).subscribe(probe)
        b.send(completion: .failure(Fault()))
        a.send(1)
        #expect(probe.marbles == "!fault")
    }

    @Test func heedsDemand() {
        let probe = Probe<Int, Never>(.max(3))
        (1...5).publisher.merge(with: (11...15).publisher).subscribe(probe)
        #expect(probe.values.count == 3)
        probe.request(.max(4))
        #expect(probe.values.count == 7)
        probe.request(.unlimited)
        #expect(probe.values.sorted() == Array(1...5) + Array(11...15))
        #expect(probe.values.filter { $0 < 10 } == Array(1...5))
        #expect(probe.isComplete)
    }

    @Test func manyAndNone() {
        #expect(Publishers.MergeMany([Just(1), Just(2), Just(3)]).marbles() == "1 2 3 |")
        #expect(Publishers.MergeMany([Just<Int>]()).marbles() == "|")
    }

    @Test func fromManyThreadsNothingIsLostAndNothingOverlaps() async {
        let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        let depth = Locked(0)
        let overlaps = Tally()
        let seen = Notes<Int>()
        let token = Publishers.MergeMany(subjects).sink { value in
            let inside = depth.withLock { depth in
                depth += 1
                return depth
            }
            if inside != 1 { overlaps.add() }
            seen.add(value)
            depth.withLock { $0 -= 1 }
        }
        await withTaskGroup(of: Void.self) { group in
            for (number, subject) in subjects.enumerated() {
                group.addTask { for index in 0..<8_000 { subject.send(number * 8_000 + index) } }
            }
        }
        #expect(overlaps.value == 0)
        #expect(seen.all.count == 32_000)
        #expect(seen.all.filter { $0 < 8_000 } == Array(0..<8_000))
        token.cancel()
    }
}

@Suite struct CombineLatestTests {
    @Test func sendsTheNewestOfEach() {
        let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
        let probe = Probe<String, Never>()
        a.combineLatest(b).map { "\($0)\($1)" }.subscribe(probe)
        a.send(1)
        a.send(2)
        b.send("x")
        a.send(3)
        b.send("y")
        a.send(completion: .finished)
        b.send("z")
        b.send(completion: .finished)
        #expect(probe.marbles == "2x 3x 3y 3z |")
    }

    @Test func threeAndFour() {
        let a = CurrentValueSubject<Int, Never>(1)
        let b = CurrentValueSubject<Int, Never>(2)
        let probe = Probe<Int, Never>()
        a.combineLatest(b, Just(3)) { $0 * 100 + $1 * 10 + $2 }.subscribe(probe)
        b.value = 5
        a.value = 7
        #expect(probe.marbles == "123 153 753")
        #expect(Just(1).combineLatest(Just(2), Just(3), Just(4)) { $0 + $1 + $2 + $3 }.marbles() == "10 |")
    }

    @Test func heedsDemandAndKeepsTheNewestPair() {
        let (a, b) = (CurrentValueSubject<Int, Never>(1), CurrentValueSubject<Int, Never>(1))
        let probe = Probe<Int, Never>(.max(1))
        a.combineLatest(b) { $0 * 10 + $1 }.subscribe(probe)
        a.value = 2
        b.value = 3
        a.value = 4
        #expect(probe.marbles == "11")
        probe.request(.max(1))
        #expect(probe.marbles == "11 43")
    }

    @Test func doesNotStallWhenOneSideFinishesEarly() {
        let probe = Probe<Int, Never>(.max(2))
        let late = PassthroughSubject<Int, Never>()
        (1...4).publisher.combineLatest(late) { $0 * 10 + $1 }.subscribe(probe)
        late.send(5)
        #expect(probe.marbles == "45")
    }

    @Test func failsWithTheFirst() {
        let a = PassthroughSubject<Int, Fault>()
        let probe = Probe<Int, Fault>()
        a.combineLatest(Fail<Int, Fault>(error: Fault())).map { $0.0 }.subscribe(probe)
        #expect(probe.marbles == "!fault")
    }

    @Test func fromTwoThreadsTheLastPairIsTheNewest() async {
        for _ in 0..<30 {
            let (a, b) = (CurrentValueSubject<Int, Never>(0), CurrentValueSubject<Int, Never>(0))
            let seen = Notes<Int>()
            let token = a.combineLatest(b) { $0 * 1000 + $1 }.sink { seen.add($0) }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for index in 1...100 { a.send(index) } }
                group.addTask { for index in 1...100 { b.send(index) } }
            }
            #expect(seen.all.last == 100_100)
            #expect(seen.all.count == 201)
            token.cancel()
        }
    }
}

@Suite struct ZipTests {
    @Test func pairsByPosition() {
        let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
        let probe = Probe<String, Never>()
        a.zip(b).map { "\($0)\($1)" }.subscribe(probe)
        a.send(1)
        a.send(2)
        b.send("x")
        b.send("y")
        b.send("z")
        b.send(completion: .finished)
        #expect(probe.marbles == "1x 2y")
        a.send(3)
        #expect(probe.marbles == "1x 2y 3z |")
    }

    @Test func finishesWhenOneIsUsedUp() {
        #expect([1, 2, 3].publisher.zip([4, 5].publisher, +).marbles() == "5 7 |")
        #expect([1, 2].publisher.zip([3, 4].publisher, [5, 6].publisher) { $0 + $1 + $2 }.marbles() == "9 12 |")
        #expect(Just(1).zip(Just(2), Just(3), Just(4)) { $0 + $1 + $2 + $3 }.marbles() == "10 |")
    }

    @Test func heedsDemand() {
        let asked = Notes<String>()
        let probe = Probe<Int, Never>(.max(2))
        (1...5).publisher.handleEvents(receiveRequest: { asked.add("\($0)") })
            .zip((1...5).publisher, +).subscribe(probe)
        #expect(probe.marbles == "2 4")
        #expect(asked.all == ["max(2)"])
        probe.request(.unlimited)
        #expect(probe.marbles == "2 4 6 8 10 |")
    }

    @Test func cancelsTheOtherWhenItFails() {
        let cancels = Tally()
        let other = PassthroughSubject<Int, Fault>().handleEvents(receiveCancel: { cancels.add() })
        let probe = Probe<Int, Fault>()
        other.zip(Fail<Int, Fault>(error: Fault())) { a, _ in a }.subscribe(probe)
        #expect(probe.marbles == "!fault")
        #expect(cancels.value == 1)
    }

    @Test func fromTwoThreadsKeepsTheOrder() async {
        let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        let seen = Notes<Int>()
        let token = a.zip(b).sink { left, right in
            #expect(left == right)
            seen.add(left)
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for index in 0..<8_000 { a.send(index) } }
            group.addTask { for index in 0..<8_000 { b.send(index) } }
        }
        #expect(seen.all == Array(0..<8_000))
        token.cancel()
    }
}

@Suite struct ConcatenationTests {
    @Test func appendAndPrepend() {
        #expect([1, 2].publisher.append(3, 4).marbles() == "1 2 3 4 |")
        #expect([1].publisher.append([2, 3]).prepend(0).prepend([-2, -1]).marbles() == "-2 -1 0 1 2 3 |")
        #expect(Just(1).append(Just(2)).prepend(Just(0)).marbles() == "0 1 2 |")
    }

    @Test func demandIsCarriedOver() {
        let probe = Probe<Int, Never>(.max(3))
        [1, 2].publisher.append([3, 4].publisher).subscribe(probe)
        #expect(probe.marbles == "1 2 3")
        probe.request(.max(5))
        #expect(probe.marbles == "1 2 3 4 |")
    }

    @Test func theSuffixStartsWhenThePrefixHasFinished() {
        let subject = PassthroughSubject<Int, Fault>()
        let started = Tally()
        let suffix = Deferred { () -> Result<Int, Fault>.Publisher in
            started.add()
            return Result.Publisher(9)
        }
        let probe = Probe<Int, Fault>()
        subject.append(suffix).subscribe(probe)
        subject.send(1)
        #expect(started.value == 0)
        subject.send(completion: .finished)
        #expect(started.value == 1)
        #expect(probe.marbles == "1 9 |")
    }

    @Test func aFailureOfThePrefixEndsIt() {
        #expect(Fail<Int, Fault>(error: Fault()).append(1).marbles() == "!fault")
    }
}
