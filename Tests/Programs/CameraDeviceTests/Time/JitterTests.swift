import Basics
import Testing

@testable import CameraDevice

@Suite struct JitterTests {
    @Test func intervalsDoubleUpToTheLimit() {
        // The largest draw gives the end of each interval.
        let random = SharedRandom(ConstantGenerator(value: .max))
        var backoff = Backoff(limit: .seconds(300))
        let waits = (0..<12).map { _ in backoff.next(random) }
        for (index, wait) in waits.enumerated() {
            let end = min(300.0, Double(1 << index))
            #expect(abs(wait / .seconds(1) - end) < 0.001, "attempt \(index)")
        }
        backoff.reset()
        #expect(abs(backoff.next(random) / .seconds(1) - 1) < 0.001)
    }

    @Test func theWholeIntervalIsUsed() {
        let random = SharedRandom(SeededGenerator(1))
        var tenths = Set<Int>()
        for _ in 0..<500 {
            var backoff = Backoff(limit: .seconds(300))
            tenths.insert(Int(backoff.next(random) / .milliseconds(100)))
        }
        #expect(tenths.isSuperset(of: 0..<10))
    }
}
