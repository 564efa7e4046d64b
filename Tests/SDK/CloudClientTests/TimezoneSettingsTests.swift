import CloudClient
import Foundation
import Testing
import Wire

@Suite("A time zone as a pairing session takes it")
struct TimezoneSettingsTests {
    @Test(
        "The offset at the moment, signed, in two digits each",
        arguments: [
            (-18_000, "GMT-05:00"), (0, "GMT+00:00"), (19_800, "GMT+05:30"), (-12_600, "GMT-03:30"),
            (45_900, "GMT+12:45"),
        ])
    func offset(seconds: Int, format: String) throws {
        let zone = try #require(TimeZone(secondsFromGMT: seconds))
        #expect(TimezoneSettings(zone, at: Date(timeIntervalSince1970: 0)).tzFormat == format)
    }

    @Test("Summer time counts")
    func summerTime() throws {
        let zone = try #require(TimeZone(identifier: "America/New_York"))
        let summer = TimezoneSettings(zone, at: Date(timeIntervalSince1970: 1_720_000_000))
        #expect(summer == TimezoneSettings(id: "America/New_York", tzFormat: "GMT-04:00"))
    }
}
