import Testing

@testable import CoreBluetooth

@Suite("BlueZ: an attribute that is busy")
struct GATTRetryTests {
    @Test("is asked again soon, then less often, and after 35 s no more")
    func pauses() {
        var retry = GATTRetry()
        var pauses: [Duration] = []
        while let pause = retry.next() { pauses.append(pause) }
        #expect(
            pauses.prefix(6) == [
                .milliseconds(10), .milliseconds(20), .milliseconds(40), .milliseconds(80),
                .milliseconds(160), .milliseconds(160),
            ])
        let sum = pauses.reduce(Duration.zero, +)
        #expect(sum >= .seconds(35) && sum < .seconds(36))
        #expect(retry.next() == nil)
    }
}
