import Basics
import Combine
import Dispatch
import Foundation
import TestSupport
import Testing

/// Resolves when it is opened; opening twice is harmless.
private final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    init() { (stream, continuation) = AsyncStream.makeStream() }
    func open() { continuation.finish() }
    func wait(_ what: String) async throws {
        try await within(.seconds(20), what) { for await _ in self.stream {} }
    }
}

@Suite struct SchedulerTests {
    private static let key = DispatchSpecificKey<String>()

    private func queue(_ name: String, concurrent: Bool = false) -> DispatchQueue {
        let queue = DispatchQueue(label: name, attributes: concurrent ? .concurrent : [])
        queue.setSpecific(key: Self.key, value: name)
        return queue
    }

    @Test func receiveOnDeliversOnTheQueueInOrder() async throws {
        let gate = Gate()
        let seen = Notes<Int>()
        let elsewhere = Tally()
        let token = (0..<1_000).publisher.receive(on: queue("receive")).sink(
            receiveCompletion: { _ in gate.open() },
            receiveValue: { value in
                if DispatchQueue.getSpecific(key: Self.key) != "receive" { elsewhere.add() }
                seen.add(value)
            })
        try await gate.wait("all values on the queue")
        #expect(seen.all == Array(0..<1_000))
        #expect(elsewhere.value == 0)
        token.cancel()
    }

    @Test func aConcurrentQueueStillDeliversOneAtATime() async throws {
        let gate = Gate()
        let depth = Locked(0)
        let overlaps = Tally()
        let seen = Notes<Int>()
        let token = (0..<5_000).publisher.receive(on: queue("many", concurrent: true)).sink(
            receiveCompletion: { _ in gate.open() },
            receiveValue: { value in
                let inside = depth.withLock { depth in
                    depth += 1
                    return depth
                }
                if inside != 1 { overlaps.add() }
                seen.add(value)
                depth.withLock { $0 -= 1 }
            })
        try await gate.wait("all values")
        #expect(overlaps.value == 0)
        #expect(seen.all == Array(0..<5_000))
        token.cancel()
    }

    @Test func whatIsStillQueuedWhenItIsCancelledIsNotDelivered() async throws {
        let target = queue("suspended")
        target.suspend()
        let subject = PassthroughSubject<Int, Never>()
        let seen = Tally()
        let token = subject.receive(on: target).sink { _ in seen.add() }
        subject.send(1)
        subject.send(2)
        token.cancel()
        target.resume()
        let gate = Gate()
        target.async { gate.open() }
        try await gate.wait("the queue to run dry")
        #expect(seen.value == 0)
    }

    @Test func cancellingOnTheQueueStopsTheNextOne() async throws {
        let target = queue("inside")
        let subject = PassthroughSubject<Int, Never>()
        let probe = Probe<Int, Never> { probe, value in
            if value == 1 { probe.cancel() }
            return .none
        }
        target.suspend()
        subject.receive(on: target).subscribe(probe)
        for value in 1...3 { subject.send(value) }
        target.resume()
        let gate = Gate()
        target.async { gate.open() }
        try await gate.wait("the queue to run dry")
        #expect(probe.marbles == "1")
    }

    @Test func receiveOnPassesDemandOn() async throws {
        let gate = Gate()
        let asked = Notes<String>()
        let probe = Probe<Int, Never>(.max(2)) { _, value in
            if value == 3 { gate.open() }
            return value == 2 ? .max(1) : .none
        }
        (1...9).publisher.handleEvents(receiveRequest: { asked.add("\($0)") })
            .receive(on: queue("demand")).subscribe(probe)
        try await gate.wait("three values")
        #expect(probe.marbles == "1 2 3")
        #expect(asked.all == ["max(2)", "max(1)"])
    }

    @Test func subscribeOnCallsTheUpstreamThere() async throws {
        let gate = Gate()
        let places = Notes<String?>()
        let publisher = Deferred { () -> Just<Int> in
            places.add(DispatchQueue.getSpecific(key: Self.key))
            return Just(1)
        }
        let token = publisher.subscribe(on: queue("subscribe")).sink { _ in
            places.add(DispatchQueue.getSpecific(key: Self.key))
            gate.open()
        }
        try await gate.wait("the value")
        #expect(places.all == ["subscribe", "subscribe"])
        token.cancel()
    }

    @Test func theImmediateSchedulerIsImmediate() {
        let seen = Notes<Int>()
        let token = (1...3).publisher.receive(on: ImmediateScheduler.shared)
            .delay(for: 5, scheduler: ImmediateScheduler.shared).sink { seen.add($0) }
        #expect(seen.all == [1, 2, 3])
        token.cancel()
    }

    @Test func dispatchQueuesRepeatUntilCancelled() async throws {
        let gate = Gate()
        let ticks = Tally()
        let target = queue("repeat")
        let token = target.schedule(after: target.now, interval: .milliseconds(1)) {
            ticks.add()
            if ticks.value == 3 { gate.open() }
        }
        try await gate.wait("three ticks")
        token.cancel()
    }

    @Test func dispatchTimeArithmetic() {
        let now = DispatchQueue.SchedulerTimeType(.now())
        #expect(now.distance(to: now.advanced(by: .milliseconds(5))) == .milliseconds(5))
        #expect(now.advanced(by: .seconds(1)).distance(to: now) == .seconds(-1))
        #expect(DispatchQueue.SchedulerTimeType.Stride.seconds(1.5) == .milliseconds(1500))
        #expect(DispatchQueue.SchedulerTimeType.Stride(.microseconds(7)) == .nanoseconds(7_000))
        #expect((2 as DispatchQueue.SchedulerTimeType.Stride) == .seconds(2))
        #expect((0.25 as RunLoop.SchedulerTimeType.Stride) == .milliseconds(250))
    }

    @Test func operationQueuesDeliver() async throws {
        let gate = Gate()
        let target = OperationQueue()
        target.maxConcurrentOperationCount = 1
        let seen = Notes<Int>()
        let token = (1...3).publisher.delay(for: .milliseconds(1), scheduler: target).sink(
            receiveCompletion: { _ in gate.open() }, receiveValue: { seen.add($0) })
        try await gate.wait("the values")
        #expect(seen.all == [1, 2, 3])
        token.cancel()
    }

    @Test func theMainRunLoopDeliversWithoutRunning() async throws {
        let gate = Gate()
        let token = Just(1).receive(on: RunLoop.main).sink { _ in
            dispatchPrecondition(condition: .onQueue(.main))
            gate.open()
        }
        try await gate.wait("the value")
        token.cancel()
    }

    @Test func anotherRunLoopDeliversWhileItRuns() async throws {
        let gate = Gate()
        let seen = Notes<Int>()
        let thread = Thread {
            let token = (1...3).publisher.receive(on: RunLoop.current).sink(
                receiveCompletion: { _ in gate.open() }, receiveValue: { seen.add($0) })
            RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.2))
            token.cancel()
        }
        thread.start()
        try await gate.wait("the values")
        #expect(seen.all == [1, 2, 3])
    }
}
