public import Foundation
public import Wire

extension TimezoneSettings {
    /// The time zone of this machine, as a pairing session takes it.
    public static var current: TimezoneSettings { TimezoneSettings(.current, at: Date()) }

    /// A time zone, with its offset at one moment in the form `GMT-05:00`.
    public init(_ zone: TimeZone, at date: Date) {
        let minutes = zone.secondsFromGMT(for: date) / 60
        let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        self.init(
            id: zone.identifier, tzFormat: "GMT\(minutes < 0 ? "-" : "+")\(twoDigits(hours)):\(twoDigits(rest))")
    }
}
