import Basics
import Testing

@Suite struct BackoffTests {
    @Test func pausesGrowToTheLimitAndStartOver() {
        var backoff = Backoff(first: .milliseconds(100), factor: 4, limit: .seconds(4))
        let pauses = (0..<6).map { _ in backoff.next() }
        #expect(
            pauses == [
                .milliseconds(100), .milliseconds(400), .milliseconds(1600), .seconds(4), .seconds(4), .seconds(4),
            ])
        backoff.reset()
        #expect(backoff.next() == .milliseconds(100))
    }

    @Test func manyFailuresDoNotOverflow() {
        var backoff = Backoff(first: .seconds(1), limit: .seconds(300))
        for _ in 0..<10_000 { #expect(backoff.next() <= .seconds(300)) }
    }
}
