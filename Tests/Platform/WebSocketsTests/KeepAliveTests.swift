import Testing

@testable import WebSockets

@Suite("Keep-alive")
struct KeepAliveTests {
    @Test func pingsAndGivesUpAfterOneAndAHalfIntervals() {
        var keepAlive = KeepAlive(interval: .seconds(10), now: .zero, jitter: 0)
        #expect(keepAlive.action(at: .zero) == .wait(.seconds(10)))
        #expect(keepAlive.action(at: .seconds(10)) == .ping(next: .seconds(5)))
        #expect(keepAlive.action(at: .seconds(14)) == .wait(.seconds(1)))
        #expect(keepAlive.action(at: .seconds(15)) == .dead)
    }

    @Test func anyByteProvesLife() {
        var keepAlive = KeepAlive(interval: .seconds(10), now: .zero, jitter: 0)
        #expect(keepAlive.action(at: .seconds(10)) == .ping(next: .seconds(5)))
        keepAlive.heard(at: .seconds(11))
        #expect(keepAlive.action(at: .seconds(15)) == .wait(.seconds(5)))
        #expect(keepAlive.action(at: .seconds(20)) == .ping(next: .seconds(6)))
    }

    @Test func jitterSpreadsTheInterval() {
        var early = KeepAlive(interval: .seconds(10), now: .zero, jitter: -1)
        var late = KeepAlive(interval: .seconds(10), now: .zero, jitter: 1)
        #expect(early.action(at: .zero) == .wait(.seconds(9)))
        #expect(late.action(at: .zero) == .wait(.seconds(11)))
    }
}
