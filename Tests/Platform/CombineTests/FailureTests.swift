import Combine
import Testing

@Suite struct FailureTests {
    private func attempts(_ log: Tally, failing count: Int) -> AnyPublisher<Int, Fault> {
        Deferred { () -> AnyPublisher<Int, Fault> in
            log.add()
            let values = [log.value].publisher.setFailureType(to: Fault.self)
            if log.value > count { return values.eraseToAnyPublisher() }
            return values.append(Fail(error: Fault("no. \(log.value)"))).eraseToAnyPublisher()
        }.eraseToAnyPublisher()
    }

    @Test func catchGoesOnWithAnother() {
        let failed = [1].publisher.setFailureType(to: Fault.self).append(Fail(error: Fault()))
        #expect(failed.catch { _ in [2, 3].publisher }.marbles() == "1 2 3 |")
        #expect(failed.catch { _ in [2, 3].publisher }.marbles(.max(2)) == "1 2")
        #expect(failed.catch { Fail<Int, Fault>(error: Fault("after \($0)")) }.marbles() == "1 !after fault")
        #expect(failed.tryCatch { _ in Just(2) }.marbles() == "1 2 |")
        #expect(failed.tryCatch { error -> Just<Int> in throw Fault("thrown") }.marbles() == "1 !thrown")
    }

    @Test func retrySubscribesAgain() {
        let log = Tally()
        #expect(attempts(log, failing: 2).retry(2).marbles() == "1 2 3 |")
        #expect(log.value == 3)
    }

    @Test func retryGivesUpWithTheLastError() {
        let log = Tally()
        #expect(attempts(log, failing: 9).retry(2).marbles() == "1 2 3 !no. 3")
        let none = Tally()
        #expect(attempts(none, failing: 9).retry(0).marbles() == "1 !no. 1")
    }

    @Test func retryHeedsDemand() {
        let log = Tally()
        let probe = Probe<Int, Fault>(.max(2))
        attempts(log, failing: 9).retry(5).subscribe(probe)
        #expect(probe.marbles == "1 2")
        probe.cancel()
        #expect(log.value <= 3)
    }

    @Test func aCancelledRetryStops() {
        let subject = PassthroughSubject<Int, Fault>()
        let log = Tally()
        let probe = Probe<Int, Fault>()
        Deferred { () -> PassthroughSubject<Int, Fault> in
            log.add()
            return subject
        }.retry(9).subscribe(probe)
        subject.send(1)
        probe.cancel()
        subject.send(completion: .failure(Fault()))
        #expect(log.value == 1)
        #expect(probe.marbles == "1")
    }
}
