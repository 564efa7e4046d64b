/// The radio bands on which a network was heard.
public struct WiFiBands: OptionSet, Sendable, Hashable {
    /// The bits as they stand on the wire.
    public let rawValue: UInt8
    /// Wraps bits as read; unknown ones are kept.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// 2.4 GHz.
    public static let twoGigahertz = WiFiBands(rawValue: 1 << 0)
    /// 5 GHz.
    public static let fiveGigahertz = WiFiBands(rawValue: 1 << 1)
    /// 6 GHz.
    public static let sixGigahertz = WiFiBands(rawValue: 1 << 2)
}
