import Basics
import Combine
import TestSupport
import Testing

@Suite struct SourceTests {
    @Test func simpleOnes() {
        #expect(Just(1).marbles() == "1 |")
        #expect(Just(1).marbles(.none) == "")
        #expect(Empty<Int, Never>().marbles() == "|")
        #expect(Empty<Int, Never>(completeImmediately: false).marbles() == "")
        #expect(Fail<Int, Fault>(error: Fault()).marbles() == "!fault")
        #expect(Optional(3).publisher.marbles() == "3 |")
        #expect(Int?.none.publisher.marbles() == "|")
        #expect(Result<Int, Fault>.success(1).publisher.marbles() == "1 |")
        #expect(Result<Int, Fault>.failure(Fault()).publisher.marbles() == "!fault")
        let record = Record<Int, Fault> { recording in
            recording.receive(1)
            recording.receive(2)
            recording.receive(completion: .failure(Fault()))
        }
        #expect(record.marbles() == "1 2 !fault")
        #expect(record.marbles(.max(1)) == "1")
    }

    @Test func aSequenceIsSentAsAskedAndFinishesWithItsLast() {
        let probe = Probe<Int, Never>(.max(2))
        (1...4).publisher.subscribe(probe)
        #expect(probe.marbles == "1 2")
        probe.request(.max(1))
        #expect(probe.marbles == "1 2 3")
        probe.request(.max(1))
        #expect(probe.marbles == "1 2 3 4 |")
        #expect([Int]().publisher.marbles(.none) == "|")
    }

    @Test func aSequenceAskedFromInsideDoesNotDeepenTheStack() {
        let probe = Probe<Int, Never>(.max(1)) { probe, _ in
            probe.request(.max(1))
            return .none
        }
        (0..<50_000).publisher.subscribe(probe)
        #expect(probe.values.count == 50_000)
        #expect(probe.isComplete)
    }

    @Test func aSequenceCancelledFromInsideStops() {
        let probe = Probe<Int, Never> { probe, value in
            if value == 3 { probe.cancel() }
            return .none
        }
        (1...9).publisher.subscribe(probe)
        #expect(probe.marbles == "1 2 3")
    }

    @Test func deferredMakesOneForEach() {
        let made = Tally()
        let deferred = Deferred { () -> Just<Int> in
            made.add()
            return Just(made.value)
        }
        #expect(made.value == 0)
        #expect(deferred.marbles() == "1 |")
        #expect(deferred.marbles() == "2 |")
    }
}

@Suite struct FutureTests {
    @Test func runsOnceAtOnceAndKeepsItsOutcome() {
        let runs = Tally()
        let future = Future<Int, Never> { promise in
            runs.add()
            promise(.success(runs.value))
            promise(.success(99))
        }
        #expect(runs.value == 1)
        #expect(future.marbles() == "1 |")
        #expect(future.marbles() == "1 |")
        #expect(runs.value == 1)
    }

    @Test func subscribersWaitForTheOutcomeAndForDemand() throws {
        let promise = Notes<Future<Int, Fault>.Promise>()
        let future = Future<Int, Fault> { promise.add($0) }
        let eager = Probe<Int, Fault>()
        let lazy = Probe<Int, Fault>(.none)
        let gone = Probe<Int, Fault>()
        future.subscribe(eager)
        future.subscribe(lazy)
        future.subscribe(gone)
        gone.cancel()
        let fulfil = try #require(promise.all.first)
        fulfil(.success(5))
        #expect(eager.marbles == "5 |")
        #expect(lazy.marbles == "")
        #expect(gone.marbles == "")
        lazy.request(.max(1))
        #expect(lazy.marbles == "5 |")
    }

    @Test func failures() {
        #expect(Future<Int, Fault> { $0(.failure(Fault())) }.marbles() == "!fault")
    }

    @Test func valueWaits() async throws {
        let future = Future<Int, Never> { promise in
            Task { promise(.success(4)) }
        }
        #expect(await future.value == 4)
        let failed = Future<Int, Fault> { promise in
            Task { promise(.failure(Fault())) }
        }
        await #expect(throws: Fault()) { try await failed.value }
        let kept = Future<Int, Fault> { $0(.success(6)) }
        #expect(try await kept.value == 6)
    }

    @Test func aCancelledTaskStopsWaiting() async throws {
        let future = Future<Int, Fault> { _ in }
        let task = Task { try await future.value }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
