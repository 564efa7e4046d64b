import Combine
import Testing

@Suite struct TransformTests {
    private struct Point {
        var x: Int
        var y: Int
    }

    private func failing(at bad: Int) -> (Int) throws -> Int {
        { value in
            if value == bad { throw Fault() }
            return value * 10
        }
    }

    @Test func mapChangesValues() {
        #expect([1, 2, 3].publisher.map { $0 * 2 }.marbles() == "2 4 6 |")
        #expect([Point(x: 1, y: 2)].publisher.map(\.x).marbles() == "1 |")
        #expect([Point(x: 1, y: 2)].publisher.map(\.x, \.y).map { $0 + $1 }.marbles() == "3 |")
    }

    @Test func tryMapEndsWithTheErrorAndCancelsTheUpstream() {
        let subject = PassthroughSubject<Int, Never>()
        let cancels = Tally()
        let probe = Probe<Int, any Error>()
        subject.handleEvents(receiveCancel: { cancels.add() }).tryMap(failing(at: 2)).subscribe(probe)
        for value in 1...3 { subject.send(value) }
        #expect(probe.marbles == "10 !fault")
        #expect(cancels.value == 1)
    }

    @Test func compactMapLeavesOutNil() {
        #expect(["1", "x", "3"].publisher.compactMap { Int($0) }.marbles() == "1 3 |")
        #expect(["1", "x"].publisher.tryCompactMap { Int($0) }.marbles() == "1 |")
        #expect([1, 2, 3].publisher.tryCompactMap(failing(at: 2)).marbles() == "10 !fault")
    }

    @Test func aSkippedValueIsMadeGoodByAnother() {
        let values = (1...10).publisher
        #expect(values.filter { $0.isMultiple(of: 3) }.marbles(.max(2)) == "3 6")
        #expect(values.compactMap { $0 > 5 ? $0 : nil }.marbles(.max(1)) == "6")
        #expect(values.dropFirst(4).marbles(.max(2)) == "5 6")
        #expect(values.drop { $0 < 8 }.marbles(.max(1)) == "8")
        #expect(values.map { $0 / 4 }.removeDuplicates().marbles(.max(3)) == "0 1 2")
        #expect(values.tryFilter { $0 > 8 }.marbles(.max(1)) == "9")
    }

    @Test func valuesThatAreNilThemselvesPass() {
        let values: [Int?] = [1, nil, nil, 2]
        #expect(values.publisher.filter { _ in true }.marbles() == "Optional(1) nil nil Optional(2) |")
        #expect(values.publisher.removeDuplicates().marbles() == "Optional(1) nil Optional(2) |")
        #expect(values.publisher.dropFirst().marbles() == "nil nil Optional(2) |")
        #expect(values.publisher.map { $0 }.marbles() == "Optional(1) nil nil Optional(2) |")
        #expect(values.dropLast(2).publisher.last().marbles() == "nil |")
        #expect(values.publisher.tryFilter { $0 == nil }.marbles() == "nil nil |")
        #expect(values.publisher.replaceNil(with: 9).marbles() == "1 9 9 2 |")
        let subject = CurrentValueSubject<Int?, Never>(nil)
        let probe = Probe<Int?, Never>()
        subject.combineLatest(Just(Int?.none)).map { $0.0 ?? $0.1 }.subscribe(probe)
        subject.value = 4
        subject.value = nil
        #expect(subject.value == nil)
        #expect(probe.marbles == "nil Optional(4) nil")
    }

    @Test func removeDuplicatesComparesNeighbours() {
        #expect([1, 1, 2, 2, 1].publisher.removeDuplicates().marbles() == "1 2 1 |")
        #expect([1, 3, 4, 6].publisher.removeDuplicates { $0 % 2 == $1 % 2 }.marbles() == "1 4 |")
        #expect([1, 2].publisher.tryRemoveDuplicates { _, _ in throw Fault() }.marbles() == "1 !fault")
    }

    @Test func scanSendsEachResult() {
        #expect([1, 2, 3].publisher.scan(10, +).marbles() == "11 13 16 |")
        let tried = [1, 2, 3].publisher.tryScan(0) { sum, value in
            if value == 3 { throw Fault() }
            return sum + value
        }
        #expect(tried.marbles() == "1 3 !fault")
    }

    @Test func errorsAreChangedAndDeclared() {
        let failed = Fail<Int, Fault>(error: Fault("inner"))
        #expect(failed.mapError { Fault("outer of \($0)") }.marbles() == "!outer of inner")
        let declared: Publishers.SetFailureType<Just<Int>, Fault> = Just(1).setFailureType(to: Fault.self)
        #expect(declared.marbles() == "1 |")
    }

    @Test func handleEventsSeesEverythingInOrder() {
        let subject = PassthroughSubject<Int, Never>()
        let log = Notes<String>()
        let probe = Probe<Int, Never>(.max(1)) { _, _ in .max(1) }
        subject.handleEvents(
            receiveSubscription: { _ in log.add("subscription") },
            receiveOutput: { log.add("value \($0)") },
            receiveCompletion: { log.add("\($0)") },
            receiveCancel: { log.add("cancel") },
            receiveRequest: { log.add("\($0)") }
        ).subscribe(probe)
        subject.send(1)
        subject.send(completion: .finished)
        probe.cancel()
        #expect(log.all == ["subscription", "max(1)", "value 1", "max(1)", "finished"])
    }

    @Test func printWritesALineForEachEvent() {
        final class Lines: TextOutputStream, Sendable {
            let notes = Notes<String>()
            func write(_ string: String) { notes.add(string) }
        }
        let lines = Lines()
        _ = [1].publisher.print("numbers", to: lines).sink { _ in }
        #expect(
            lines.notes.all.dropFirst() == [
                "numbers: request unlimited\n", "numbers: receive value: (1)\n", "numbers: receive finished\n",
            ])
        #expect(lines.notes.all.first?.hasPrefix("numbers: receive subscription: (") == true)
    }

    @Test func encodeAndDecode() throws {
        struct Doubling: TopLevelEncoder, TopLevelDecoder {
            func encode<T: Encodable>(_ value: T) throws -> String { "<\(value)>" }
            func decode<T: Decodable>(_ type: T.Type, from input: String) throws -> T {
                guard let value = Int(input.dropFirst().dropLast()) as? T else { throw Fault("not a number") }
                return value
            }
        }
        #expect(Just(4).encode(encoder: Doubling()).marbles() == "<4> |")
        #expect(Just("<4>").decode(type: Int.self, decoder: Doubling()).marbles() == "4 |")
        #expect(Just("<x>").decode(type: Int.self, decoder: Doubling()).marbles() == "!not a number")
    }
}
