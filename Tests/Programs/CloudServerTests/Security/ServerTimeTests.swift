import Foundation
import TestSupport
import Testing

@testable import CloudServer

@Suite struct ServerTimeTests {
    private let noon = Date(timeIntervalSince1970: 1_800_000_000)

    @Test func followsTheClockFromTheTimeOfDay() {
        let clock = ManualClock()
        let time = ServerTime(clock: clock, wallTime: noon, notBefore: nil)
        #expect(time.now == Timestamp(noon))
        clock.advance(by: .milliseconds(1500))
        #expect(time.now.rawValue == 1_800_000_001_500)
    }

    @Test func doesNotStartBeforeWhatIsStored() {
        let stored = Timestamp(noon) + .seconds(86_400)
        let time = ServerTime(clock: ManualClock(), wallTime: noon, notBefore: stored)
        #expect(time.now == stored)
        let early = Timestamp(rawValue: 5)
        #expect(ServerTime(clock: ManualClock(), wallTime: noon, notBefore: early).now == Timestamp(noon))
    }

    @Test func addsFractionsOfASecond() {
        #expect((Timestamp(rawValue: 1000) + .microseconds(2_500_700)).rawValue == 3500)
        #expect((Timestamp(rawValue: 1000) + .milliseconds(-1)).rawValue == 999)
    }
}
