import Combine
import Testing

@Suite struct SelectionTests {
    private let values = (1...5).publisher

    @Test func firstTakesOneAndCancelsTheRest() {
        #expect(values.first().marbles() == "1 |")
        #expect(values.first { $0 > 3 }.marbles() == "4 |")
        #expect(values.first { $0 > 9 }.marbles() == "|")
        #expect(values.tryFirst { _ in throw Fault() }.marbles() == "!fault")
        let subject = PassthroughSubject<Int, Never>()
        let log = Notes<String>()
        let probe = Probe<Int, Never> { _, _ in
            // The sequence is over for the operator before its last value arrives.
            subject.send(2)
            return .none
        }
        subject.handleEvents(receiveCancel: { log.add("cancel") }).first().subscribe(probe)
        subject.send(1)
        #expect(probe.marbles == "1 |")
        #expect(log.all == ["cancel"])
    }

    @Test func firstWaitsForDemand() {
        let probe = Probe<Int, Never>(.none)
        values.first().subscribe(probe)
        #expect(probe.marbles == "")
        probe.request(.max(1))
        #expect(probe.marbles == "1 |")
    }

    @Test func aSubscriberThatCancelsInItsLastValueGetsNoCompletion() {
        let probe = Probe<Int, Never> { probe, _ in
            probe.cancel()
            return .none
        }
        values.first().subscribe(probe)
        #expect(probe.marbles == "1")
    }

    @Test func prefixTakesTheFirstValues() {
        #expect(values.prefix(2).marbles() == "1 2 |")
        #expect(values.prefix(0).marbles() == "|")
        #expect(values.prefix(9).marbles() == "1 2 3 4 5 |")
        #expect(values.prefix(2).marbles(.max(1)) == "1")
        #expect(values.prefix { $0 < 3 }.marbles() == "1 2 |")
        #expect(values.tryPrefix { if $0 == 2 { throw Fault() } else { true } }.marbles() == "1 !fault")
    }

    @Test func outputTakesPositions() {
        #expect(values.output(at: 2).marbles() == "3 |")
        #expect(values.output(in: 1..<3).marbles() == "2 3 |")
        #expect(values.output(in: 3...).marbles() == "4 5 |")
        #expect(values.output(in: ...1).marbles() == "1 2 |")
    }

    @Test func dropLeavesOutTheFirst() {
        #expect(values.dropFirst().marbles() == "2 3 4 5 |")
        #expect(values.dropFirst(9).marbles() == "|")
        #expect(values.drop { $0 < 3 }.marbles() == "3 4 5 |")
        #expect(values.tryDrop { _ in throw Fault() }.marbles() == "!fault")
    }

    @Test func untilAnotherSends() {
        let subject = PassthroughSubject<Int, Never>()
        let signal = PassthroughSubject<Void, Never>()
        let before = Probe<Int, Never>()
        let after = Probe<Int, Never>()
        subject.prefix(untilOutputFrom: signal).subscribe(before)
        subject.drop(untilOutputFrom: signal).subscribe(after)
        subject.send(1)
        signal.send()
        subject.send(2)
        subject.send(completion: .finished)
        #expect(before.marbles == "1 |")
        #expect(after.marbles == "2 |")
        #expect(subject.prefix(untilOutputFrom: Just(0)).marbles() == "|")
    }

    @Test func lastWaitsForTheEnd() {
        #expect(values.last().marbles() == "5 |")
        #expect(values.last { $0 < 3 }.marbles() == "2 |")
        #expect(values.tryLast { $0 < 3 }.marbles() == "2 |")
        #expect(Empty<Int, Never>().last().marbles() == "|")
        let probe = Probe<Int, Never>(.none)
        values.last().subscribe(probe)
        #expect(probe.marbles == "")
        probe.request(.max(1))
        #expect(probe.marbles == "5 |")
    }
}

@Suite struct ReductionTests {
    private let values = [3, 1, 2].publisher
    private let failed = [1, 2].publisher.setFailureType(to: Fault.self).append(Fail(error: Fault()))

    @Test func reduceAndCount() {
        #expect(values.reduce(0, +).marbles() == "6 |")
        #expect(values.tryReduce(0) { _, _ in throw Fault() }.marbles() == "!fault")
        #expect(values.count().marbles() == "3 |")
        #expect(failed.reduce(0, +).marbles() == "!fault")
        #expect(values.ignoreOutput().marbles() == "|")
    }

    @Test func collect() {
        #expect(values.collect().marbles() == "[3, 1, 2] |")
        #expect(Empty<Int, Never>().collect().marbles() == "[] |")
        #expect(values.collect(2).marbles() == "[3, 1] [2] |")
        #expect((1...9).publisher.collect(2).marbles(.max(2)) == "[1, 2] [3, 4]")
        #expect(failed.collect().marbles() == "!fault")
        #expect(failed.collect(3).marbles() == "!fault")
    }

    @Test func questions() {
        #expect(values.contains(1).marbles() == "true |")
        #expect(values.contains(9).marbles() == "false |")
        #expect(values.contains { $0 > 2 }.marbles() == "true |")
        #expect(values.tryContains { _ in throw Fault() }.marbles() == "!fault")
        #expect(values.allSatisfy { $0 > 0 }.marbles() == "true |")
        #expect(values.allSatisfy { $0 > 1 }.marbles() == "false |")
        #expect(values.tryAllSatisfy { $0 > 1 }.marbles() == "false |")
        #expect(values.max().marbles() == "3 |")
        #expect(values.min().marbles() == "1 |")
    }

    @Test func aQuestionThatIsAnsweredCancelsTheUpstream() {
        let subject = PassthroughSubject<Int, Never>()
        let cancels = Tally()
        let probe = Probe<Bool, Never>(.none)
        subject.handleEvents(receiveCancel: { cancels.add() }).contains(2).subscribe(probe)
        subject.send(2)
        #expect(cancels.value == 1)
        #expect(probe.marbles == "")
        probe.request(.unlimited)
        #expect(probe.marbles == "true |")
    }

    @Test func resultsWaitForDemandButErrorsDoNot() {
        let probe = Probe<[Int], Fault>(.none)
        failed.collect().subscribe(probe)
        #expect(probe.marbles == "!fault")
    }

    @Test func replacements() {
        #expect(Empty<Int, Never>().replaceEmpty(with: 7).marbles() == "7 |")
        #expect(values.replaceEmpty(with: 7).marbles() == "3 1 2 |")
        #expect(failed.replaceError(with: 9).marbles() == "1 2 9 |")
        #expect(failed.replaceError(with: 9).marbles(.max(2)) == "1 2")
    }
}
