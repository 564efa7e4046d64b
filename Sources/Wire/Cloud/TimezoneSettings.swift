/// A time zone as a camera needs it.
public struct TimezoneSettings: Sendable, Hashable, Codable {
    /// The IANA name, such as `America/New_York`.
    public var id: String
    /// The rule, in one of two forms: `GMT-05:00`, or POSIX as in `EST+5EDT,M3.2.0/2,M11.1.0/2`.
    public var tzFormat: String

    /// Describes a time zone.
    public init(id: String, tzFormat: String) {
        self.id = id
        self.tzFormat = tzFormat
    }
}
