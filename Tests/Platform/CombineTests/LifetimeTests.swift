import Basics
import Combine
import Dispatch
import Testing

/// Every operator lets go of the subscriber's closures, and of its upstream, on cancellation and on completion.
@Suite struct LifetimeTests {
    private final class Canary: Sendable {}

    private typealias Chain = @Sendable (AnyPublisher<Int, Fault>) -> AnyPublisher<Int, Fault>

    private static let chains: [(name: String, chain: Chain)] = [
        ("map", { $0.map { $0 }.eraseToAnyPublisher() }),
        ("tryMap", { $0.tryMap { $0 }.mapError { _ in Fault() }.eraseToAnyPublisher() }),
        ("filter", { $0.filter { _ in true }.eraseToAnyPublisher() }),
        ("removeDuplicates", { $0.removeDuplicates().eraseToAnyPublisher() }),
        ("scan", { $0.scan(0, +).eraseToAnyPublisher() }),
        ("prefix", { $0.prefix(5).eraseToAnyPublisher() }),
        (
            "prefix(untilOutputFrom:)",
            {
                $0.prefix(untilOutputFrom: Empty<Int, Never>(completeImmediately: false)).eraseToAnyPublisher()
            }
        ),
        ("collect", { $0.collect().map(\.count).eraseToAnyPublisher() }),
        ("collect(_:)", { $0.collect(2).map(\.count).eraseToAnyPublisher() }),
        ("flatMap", { $0.flatMap { value in Just(value) }.eraseToAnyPublisher() }),
        (
            "flatMap of one that stays",
            {
                $0.flatMap { _ in PassthroughSubject<Int, Fault>() }.eraseToAnyPublisher()
            }
        ),
        ("switchToLatest", { $0.map { Just($0) }.switchToLatest().eraseToAnyPublisher() }),
        ("merge", { $0.merge(with: $0).eraseToAnyPublisher() }),
        ("combineLatest", { $0.combineLatest($0, +).eraseToAnyPublisher() }),
        ("zip", { $0.zip($0, $0) { $0 + $1 + $2 }.eraseToAnyPublisher() }),
        ("catch", { $0.catch { _ in Just(0) }.setFailureType(to: Fault.self).eraseToAnyPublisher() }),
        ("retry", { $0.retry(1).eraseToAnyPublisher() }),
        ("append", { $0.append(1).prepend(2).eraseToAnyPublisher() }),
        ("replaceEmpty", { $0.replaceEmpty(with: 1).eraseToAnyPublisher() }),
        ("handleEvents", { $0.handleEvents(receiveOutput: { _ in }).eraseToAnyPublisher() }),
        ("share", { $0.share().eraseToAnyPublisher() }),
        ("multicast", { $0.multicast { CurrentValueSubject(0) }.autoconnect().eraseToAnyPublisher() }),
        ("buffer", { $0.buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest).eraseToAnyPublisher() }),
        ("receive(on:)", { $0.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher() }),
        ("subscribe(on:)", { $0.subscribe(on: ImmediateScheduler.shared).eraseToAnyPublisher() }),
        ("delay", { $0.delay(for: 0, scheduler: ImmediateScheduler.shared).eraseToAnyPublisher() }),
        ("debounce", { $0.debounce(for: .seconds(600), scheduler: TestScheduler()).eraseToAnyPublisher() }),
        (
            "throttle",
            {
                $0.throttle(for: .seconds(600), scheduler: TestScheduler(), latest: true).eraseToAnyPublisher()
            }
        ),
        ("timeout", { $0.timeout(.seconds(600), scheduler: TestScheduler()).eraseToAnyPublisher() }),
    ]

    @Test(arguments: chains.map(\.name)) func cancellationReleasesEverything(name: String) throws {
        let chain = try #require(Self.chains.first { $0.name == name }).chain
        weak var subscriber: Canary?
        weak var upstream: Canary?
        let subject = PassthroughSubject<Int, Fault>()
        do {
            let (mine, theirs) = (Canary(), Canary())
            (subscriber, upstream) = (mine, theirs)
            let source = subject.map { [theirs] value in withExtendedLifetime(theirs) { value } }
            let token = chain(source.eraseToAnyPublisher()).sink(
                receiveCompletion: { [mine] _ in withExtendedLifetime(mine) {} },
                receiveValue: { [mine] _ in withExtendedLifetime(mine) {} })
            subject.send(1)
            subject.send(2)
            token.cancel()
        }
        #expect(subscriber == nil)
        #expect(upstream == nil)
    }

    @Test(arguments: chains.map(\.name)) func failureReleasesEverything(name: String) throws {
        let chain = try #require(Self.chains.first { $0.name == name }).chain
        weak var subscriber: Canary?
        weak var upstream: Canary?
        let subject = PassthroughSubject<Int, Fault>()
        var token: AnyCancellable?
        do {
            let (mine, theirs) = (Canary(), Canary())
            (subscriber, upstream) = (mine, theirs)
            let source = subject.map { [theirs] value in withExtendedLifetime(theirs) { value } }
            token = chain(source.eraseToAnyPublisher()).sink(
                receiveCompletion: { [mine] _ in withExtendedLifetime(mine) {} },
                receiveValue: { [mine] _ in withExtendedLifetime(mine) {} })
            subject.send(1)
            subject.send(2)
        }
        subject.send(completion: .failure(Fault()))
        if name == "debounce" || name == "throttle" || name == "timeout" {
            // Their scheduler stands still, so the ending waits.
            token?.cancel()
        }
        #expect(subscriber == nil)
        #expect(upstream == nil)
        token = nil
    }

    @Test(arguments: chains.map(\.name)) func nothingIsDeliveredAfterACancellationFromInside(name: String) throws {
        let chain = try #require(Self.chains.first { $0.name == name }).chain
        let subject = PassthroughSubject<Int, Fault>()
        let probe = Probe<Int, Fault> { probe, _ in
            probe.cancel()
            return .max(1)
        }
        chain(subject.eraseToAnyPublisher()).subscribe(probe)
        for value in 1...9 { subject.send(value) }
        subject.send(completion: .finished)
        #expect(probe.events.count <= 1)
        if probe.values.isEmpty == false { #expect(!probe.isComplete) }
    }

    @Test(arguments: chains.map(\.name)) func demandIsHonoured(name: String) throws {
        let chain = try #require(Self.chains.first { $0.name == name }).chain
        let probe = Probe<Int, Fault>(.max(2))
        let source = (1...50).publisher.setFailureType(to: Fault.self)
        chain(source.eraseToAnyPublisher()).subscribe(probe)
        #expect(probe.values.count <= 2)
        probe.request(.max(1))
        #expect(probe.values.count <= 3)
    }
}

/// Long sequences and long feedback leave the stack flat.
@Suite struct DepthTests {
    private let long = 20_000

    @Test func longSequencesThroughOperatorsThatResubscribe() {
        let sum = Tally()
        _ = (0..<long).publisher.flatMap(maxPublishers: .max(1)) { Just($0) }.sink { _ in sum.add() }
        #expect(sum.value == long)
        let switched = Tally()
        _ = (0..<long).publisher.map { Just($0) }.switchToLatest().sink { _ in switched.add() }
        #expect(switched.value == long)
    }

    @Test func anUpstreamThatFailsAtOnceManyTimes() {
        let attempts = Tally()
        let deferred = Deferred { () -> Fail<Int, Fault> in
            attempts.add()
            return Fail(error: Fault())
        }
        #expect(deferred.retry(long).marbles() == "!fault")
        #expect(attempts.value == long + 1)
    }

    @Test func valuesAskedForOneByOneThroughAChain() {
        let probe = Probe<Int, Never>(.max(1)) { _, _ in .max(1) }
        (0..<long).publisher.map { $0 }.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest)
            .receive(on: ImmediateScheduler.shared).zip((0..<long).publisher, +)
            .merge(with: Empty()).subscribe(probe)
        #expect(probe.values.count == long)
    }

    @Test func aChainOfAThousandOperators() {
        var publisher = Just(0).eraseToAnyPublisher()
        for _ in 0..<1_000 { publisher = publisher.map { $0 + 1 }.eraseToAnyPublisher() }
        #expect(publisher.marbles() == "1000 |")
    }
}
