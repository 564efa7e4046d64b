import Basics
import Foundation
import TestSupport
import Testing

@testable import Combine

private final class Thermostat: ObservableObject, @unchecked Sendable {
    // Unchecked because @Published is safe from any thread and there is no other state.
    @Published var degrees = 20
    @Published var names: [String] = []
    @Published private(set) var mode: String?

    init() {}

    init(mode: String) { _mode = Published(initialValue: mode) }
}

private final class Plain {
    @Published var value = 1
}

private class Base: ObservableObject {
    @Published var low = 0
}

private final class Derived: Base {
    @Published var high = 0
}

private final class ByHand: ObservableObject {
    var value = 0 { willSet { objectWillChange.send() } }
}

private final class OwnPublisher: ObservableObject {
    let objectWillChange = PassthroughSubject<Int, Never>()
    @Published var value = 0
}

@MainActor private final class MainModel: ObservableObject {
    @Published var count = 0
    var seen: [Int] = []
    var tokens = Set<AnyCancellable>()
    func watch() { $count.sink { [weak self] in self?.seen.append($0) }.store(in: &tokens) }
}

@Suite struct PublishedTests {
    @Test func replaysAndPublishesOnWillSet() {
        let thermostat = Thermostat()
        let seen = Notes<String>()
        let token = thermostat.$degrees.sink { seen.add("\($0) while \(thermostat.degrees)") }
        thermostat.degrees = 21
        thermostat.degrees += 1
        #expect(seen.all == ["20 while 20", "21 while 20", "22 while 21"])
        #expect(thermostat.degrees == 22)
        token.cancel()
        thermostat.degrees = 5
        #expect(seen.all.count == 3)
    }

    @Test func changesInPlaceArePublishedWhole() {
        let thermostat = Thermostat()
        let seen = Notes<[String]>()
        let token = thermostat.$names.dropFirst().sink { seen.add($0) }
        thermostat.names.append("hall")
        thermostat.names.append("attic")
        thermostat.names[0] = "cellar"
        #expect(seen.all == [["hall"], ["hall", "attic"], ["cellar", "attic"]])
        token.cancel()
    }

    @Test func takesAnInitialValue() {
        #expect(Thermostat(mode: "eco").mode == "eco")
        #expect(Thermostat().mode == nil)
    }

    @Test func worksWithoutObservableObject() {
        let plain = Plain()
        let seen = Notes<Int>()
        let token = plain.$value.sink { seen.add($0) }
        plain.value = 2
        #expect(seen.all == [1, 2])
        token.cancel()
    }

    @Test func signalsTheObjectBeforeTheValueIsPublished() {
        let thermostat = Thermostat()
        let order = Notes<String>()
        let one = thermostat.objectWillChange.sink { order.add("will change from \(thermostat.degrees)") }
        let two = thermostat.$degrees.dropFirst().sink { order.add("\($0)") }
        thermostat.degrees = 25
        thermostat.names = ["a"]
        #expect(order.all == ["will change from 20", "25", "will change from 25"])
        one.cancel()
        two.cancel()
    }

    @Test func aSetFromInsideASubscriberIsTheOneThatStays() {
        let thermostat = Thermostat()
        let seen = Notes<Int>()
        let one = thermostat.$degrees.sink { if $0 > 30 { thermostat.degrees = 30 } }
        let two = thermostat.$degrees.sink { seen.add($0) }
        thermostat.degrees = 40
        #expect(seen.all == [20, 40, 30])
        #expect(thermostat.degrees == 30)
        one.cancel()
        two.cancel()
    }

    @Test func aSubscriberThatJoinsInsideAChangeGetsTheNewValueOnce() {
        let thermostat = Thermostat()
        let inner = Notes<Int>()
        let tokens = Notes<AnyCancellable>()
        let token = thermostat.$degrees.dropFirst().sink { _ in
            tokens.add(thermostat.$degrees.sink { inner.add($0) })
        }
        thermostat.degrees = 21
        #expect(inner.all == [21])
        token.cancel()
        for token in tokens.all { token.cancel() }
    }

    @Test func assignToAPublishedSetsItWithoutKeepingTheObject() {
        let source = PassthroughSubject<Int, Never>()
        weak var released: Thermostat?
        let changes = Tally()
        do {
            let thermostat = Thermostat()
            released = thermostat
            let token = thermostat.objectWillChange.sink { changes.add() }
            source.map { $0 + 1 }.assign(to: &thermostat.$degrees)
            source.send(29)
            #expect(thermostat.degrees == 30)
            #expect(changes.value == 1)
            token.cancel()
        }
        #expect(released == nil)
        source.send(1)
    }

    @Test func assignFromAPublisherThatSendsAtOnce() {
        let thermostat = Thermostat()
        Just(3).assign(to: &thermostat.$degrees)
        #expect(thermostat.degrees == 3)
    }

    @Test func concurrentSetsEndWithTheValuePublishedLast() async {
        for _ in 0..<30 {
            let thermostat = Thermostat()
            let last = Locked(0)
            let changes = Tally()
            let one = thermostat.$degrees.sink { value in last.withLock { $0 = value } }
            let two = thermostat.objectWillChange.sink { changes.add() }
            await withTaskGroup(of: Void.self) { group in
                for sender in 0..<3 {
                    group.addTask { for index in 0..<100 { thermostat.degrees = sender * 100 + index } }
                }
            }
            #expect(last.withLock { $0 } == thermostat.degrees)
            #expect(changes.value == 300)
            one.cancel()
            two.cancel()
        }
    }

    @Test @MainActor func worksInAMainActorClass() {
        let model = MainModel()
        model.watch()
        model.count = 1
        #expect(model.seen == [0, 1])
    }
}

@Suite struct ObservableObjectTests {
    @Test func thePublisherIsTheSameWhileInUse() {
        let thermostat = Thermostat()
        let first = thermostat.objectWillChange
        #expect(first === thermostat.objectWillChange)
        #expect(first !== Thermostat().objectWillChange)
    }

    @Test func aSubscriptionKeepsThePublisher() {
        let byHand = ByHand()
        let seen = Tally()
        let token = byHand.objectWillChange.sink { seen.add() }
        byHand.value = 1
        byHand.value = 2
        #expect(seen.value == 2)
        token.cancel()
        byHand.value = 3
        #expect(seen.value == 2)
    }

    @Test func inheritedPropertiesSignalToo() {
        let derived = Derived()
        let seen = Tally()
        let token = derived.objectWillChange.sink { seen.add() }
        derived.low = 1
        derived.high = 1
        (derived as Base).low = 2
        #expect(seen.value == 3)
        token.cancel()
    }

    @Test func aPublisherOfItsOwnIsLeftAlone() {
        let object = OwnPublisher()
        let seen = Notes<Int>()
        let token = object.objectWillChange.sink { seen.add($0) }
        object.value = 1
        #expect(seen.all == [])
        object.objectWillChange.send(5)
        #expect(seen.all == [5])
        token.cancel()
    }

    @Test func neitherObjectNorPublisherIsKept() {
        weak var publisher: ObservableObjectPublisher?
        weak var object: Thermostat?
        let key: ObjectIdentifier
        do {
            let thermostat = Thermostat()
            key = ObjectIdentifier(thermostat)
            object = thermostat
            let held = thermostat.objectWillChange
            publisher = held
            let token = held.sink {}
            #expect(ChangePublishers.hasEntry(at: key))
            token.cancel()
        }
        #expect(object == nil)
        #expect(publisher == nil)
    }

    @Test func theEntryGoesWithThePublisher() {
        let thermostat = Thermostat()
        let key = ObjectIdentifier(thermostat)
        thermostat.objectWillChange.send()
        #expect(!ChangePublishers.hasEntry(at: key))
        let token = thermostat.objectWillChange.sink {}
        #expect(ChangePublishers.hasEntry(at: key))
        token.cancel()
        #expect(!ChangePublishers.hasEntry(at: key))
    }

    @Test func anObjectAtTheSameAddressGetsAPublisherOfItsOwn() throws {
        // The allocator gives a freed address to the next object of the same size sooner or later.
        var reused = false
        for _ in 0..<10_000 where !reused {
            var object: ByHand? = ByHand()
            let address = try ObjectIdentifier(#require(object))
            let stale = Tally()
            let publisher = try #require(object?.objectWillChange)
            let token = publisher.sink { stale.add() }
            object = nil
            // Several, since what else has become free here may come first.
            let others = (0..<64).map { _ in ByHand() }
            if let next = others.first(where: { ObjectIdentifier($0) == address }) {
                reused = true
                #expect(next.objectWillChange !== publisher)
                let fresh = Tally()
                let freshToken = next.objectWillChange.sink { fresh.add() }
                token.cancel()
                next.value = 1
                #expect(stale.value == 0)
                #expect(fresh.value == 1)
                freshToken.cancel()
            }
            token.cancel()
        }
        #expect(reused)
    }

    @Test func publishersMayBeTouchedInDeinit() {
        final class Closing: ObservableObject {
            @Published var open = true
            let seen: Tally
            init(_ seen: Tally) { self.seen = seen }
            deinit {
                objectWillChange.send()
                open = false
                _ = $open.sink { [seen] in if !$0 { seen.add() } }
            }
        }
        let seen = Tally()
        do { _ = Closing(seen) }
        #expect(seen.value == 1)
    }
}
