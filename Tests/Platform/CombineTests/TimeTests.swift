import Basics
import Combine
import Testing

@Suite struct TimeTests {
    private let scheduler = TestScheduler()
    private let subject = PassthroughSubject<Int, Fault>()
    private let probe = Probe<Int, Fault>()

    @Test func delayShiftsValuesAndTheEnding() {
        subject.delay(for: .milliseconds(100), scheduler: scheduler).subscribe(probe)
        subject.send(1)
        scheduler.advance(by: 50)
        subject.send(2)
        subject.send(completion: .finished)
        scheduler.advance(by: 49)
        #expect(probe.marbles == "")
        scheduler.advance(by: 1)
        #expect(probe.marbles == "1")
        scheduler.advance(by: 50)
        #expect(probe.marbles == "1 2 |")
    }

    @Test func aCancelledDelayDeliversNothing() {
        subject.delay(for: .milliseconds(100), scheduler: scheduler).subscribe(probe)
        subject.send(1)
        probe.cancel()
        scheduler.advance(by: 200)
        #expect(probe.marbles == "")
    }

    @Test func debounceSendsAfterSilence() {
        subject.debounce(for: .milliseconds(100), scheduler: scheduler).subscribe(probe)
        subject.send(1)
        scheduler.advance(by: 60)
        subject.send(2)
        scheduler.advance(by: 60)
        #expect(probe.marbles == "")
        scheduler.advance(by: 40)
        #expect(probe.marbles == "2")
        scheduler.advance(by: 500)
        subject.send(3)
        scheduler.advance(by: 99)
        #expect(probe.marbles == "2")
        scheduler.advance(by: 1)
        #expect(probe.marbles == "2 3")
    }

    @Test func debounceHasOneAlarmHoweverManyValuesCome() {
        subject.debounce(for: .milliseconds(100), scheduler: scheduler).subscribe(probe)
        for value in 0..<1_000 { subject.send(value) }
        #expect(scheduler.pendingCount == 1)
        scheduler.advance(by: 100)
        #expect(probe.marbles == "999")
        #expect(scheduler.pendingCount == 0)
    }

    @Test func debounceDropsWhatWaitsAtTheEnd() {
        subject.debounce(for: .milliseconds(100), scheduler: scheduler).subscribe(probe)
        subject.send(1)
        subject.send(completion: .finished)
        scheduler.advance(by: 500)
        #expect(probe.marbles == "|")
    }

    @Test func throttleSendsTheNewestOfEachInterval() {
        subject.throttle(for: .milliseconds(100), scheduler: scheduler, latest: true).subscribe(probe)
        subject.send(1)
        scheduler.advance(by: 10)
        #expect(probe.marbles == "1")
        subject.send(2)
        subject.send(3)
        scheduler.advance(by: 89)
        #expect(probe.marbles == "1")
        scheduler.advance(by: 1)
        #expect(probe.marbles == "1 3")
        scheduler.advance(by: 300)
        subject.send(4)
        scheduler.advance()
        #expect(probe.marbles == "1 3 4")
    }

    @Test func throttleSendsTheFirstOfEachInterval() {
        subject.throttle(for: .milliseconds(100), scheduler: scheduler, latest: false).subscribe(probe)
        for value in 1...3 { subject.send(value) }
        scheduler.advance(by: 100)
        #expect(probe.marbles == "1 2")
    }

    @Test func throttleSendsWhatWaitsBeforeTheEnding() {
        subject.throttle(for: .milliseconds(100), scheduler: scheduler, latest: true).subscribe(probe)
        subject.send(1)
        subject.send(2)
        subject.send(completion: .finished)
        scheduler.advance()
        #expect(probe.marbles == "1 2 |")
    }

    @Test func timeoutFinishesOrFails() {
        let cancels = Tally()
        subject.handleEvents(receiveCancel: { cancels.add() })
            .timeout(.milliseconds(100), scheduler: scheduler).subscribe(probe)
        let failing = Probe<Int, Fault>()
        subject.timeout(.milliseconds(150), scheduler: scheduler, customError: { Fault("late") }).subscribe(failing)
        scheduler.advance(by: 80)
        subject.send(1)
        scheduler.advance(by: 99)
        #expect(probe.marbles == "1")
        scheduler.advance(by: 1)
        #expect(probe.marbles == "1 |")
        #expect(cancels.value == 1)
        scheduler.advance(by: 50)
        #expect(failing.marbles == "1 !late")
        subject.send(2)
        scheduler.advance(by: 500)
        #expect(probe.marbles == "1 |")
        #expect(scheduler.pendingCount == 0)
    }

    @Test func timeoutLetsAnEarlierEndingPass() {
        subject.timeout(.milliseconds(100), scheduler: scheduler).subscribe(probe)
        subject.send(completion: .failure(Fault("own")))
        scheduler.advance(by: 500)
        #expect(probe.marbles == "!own")
    }

    @Test func measureInterval() {
        let seen = Notes<Double>()
        let token = PassthroughSubject<Int, Never>()
        let sink = token.measureInterval(using: scheduler).sink { seen.add($0.milliseconds) }
        scheduler.advance(by: 30)
        token.send(1)
        scheduler.advance(by: 70)
        token.send(2)
        #expect(seen.all == [30, 70])
        sink.cancel()
    }

    @Test func timesHeedDemand() {
        let limited = Probe<Int, Fault>(.max(1))
        subject.debounce(for: .milliseconds(10), scheduler: scheduler).subscribe(limited)
        for value in 1...3 {
            subject.send(value)
            scheduler.advance(by: 10)
        }
        #expect(limited.marbles == "1")
        limited.request(.max(1))
        scheduler.advance()
        #expect(limited.marbles == "1 3")
    }
}
