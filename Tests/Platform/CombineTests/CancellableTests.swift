import Basics
import Combine
import Testing

@Suite struct CancellableTests {
    @Test func runsItsActionOnceOnCancelOrRelease() {
        let runs = Tally()
        var token: AnyCancellable? = AnyCancellable { runs.add() }
        token?.cancel()
        token?.cancel()
        token = nil
        #expect(runs.value == 1)
        token = AnyCancellable { runs.add() }
        #expect(runs.value == 1)
        token = nil
        #expect(runs.value == 2)
    }

    @Test func isStoredInSetsAndCollections() {
        let subject = PassthroughSubject<Int, Never>()
        let seen = Tally()
        var set = Set<AnyCancellable>()
        var array: [AnyCancellable] = []
        subject.sink { _ in seen.add() }.store(in: &set)
        subject.sink { _ in seen.add() }.store(in: &array)
        let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in seen.add() })
        subject.subscribe(sink)
        sink.store(in: &set)
        subject.send(1)
        #expect(seen.value == 3)
        #expect(set.count == 2)
        set.removeAll()
        subject.send(2)
        #expect(seen.value == 4)
        array = []
        subject.send(3)
        #expect(seen.value == 4)
    }

    @Test func runsOnceWhenManyCancelAtATime() async {
        let runs = Tally()
        for _ in 0..<100 {
            let token = AnyCancellable { runs.add() }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { token.cancel() } }
            }
        }
        #expect(runs.value == 100)
    }

    @Test func demandArithmetic() {
        typealias Demand = Subscribers.Demand
        #expect(Demand.max(2) + .max(3) == .max(5))
        #expect(Demand.unlimited + .max(3) == .unlimited)
        #expect(Demand.unlimited - .unlimited == .unlimited)
        #expect(Demand.max(2) - .max(3) == .none)
        #expect(Demand.max(.max - 1) + .max(2) == .unlimited)
        #expect(Demand.max(3) * 2 == .max(6))
        #expect(Demand.max(3) < .unlimited)
        #expect(Demand.unlimited > 5)
        #expect(Demand.max(4) >= 4)
        #expect(Demand.unlimited.max == nil)
        #expect("\(Demand.unlimited) \(Demand.max(2))" == "unlimited max(2)")
    }

    @Test func aSinkThatIsCancelledIgnoresAnUpstreamThatGoesOn() {
        let seen = Notes<Int>()
        let sink = Subscribers.Sink<Int, Never>(
            receiveCompletion: { _ in seen.add(-1) }, receiveValue: { seen.add($0) })
        sink.receive(subscription: Subscriptions.empty)
        _ = sink.receive(1)
        sink.cancel()
        _ = sink.receive(2)
        sink.receive(completion: .finished)
        #expect(seen.all == [1])
    }

    @Test func assignWritesAndReleasesItsObject() {
        final class Target { var value = 0 }
        let subject = PassthroughSubject<Int, Never>()
        weak var released: Target?
        let token: AnyCancellable
        do {
            let target = Target()
            released = target
            token = subject.map { $0 * 2 }.assign(to: \.value, on: target)
            subject.send(21)
            #expect(target.value == 42)
        }
        #expect(released != nil)
        token.cancel()
        #expect(released == nil)
    }
}
