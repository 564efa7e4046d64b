/// A way of handing over credentials: a GATT service of its own. Written down in `docs/pairing-protocol.md`, section 3.
///
/// The order is that of preference: a client takes the last one that a camera offers.
public enum PairingLayout: UInt8, Sendable, Hashable, CaseIterable, Comparable {
    /// One characteristic a field.
    case standard = 1
    /// Framed messages on one characteristic.
    case chunked = 2
    /// The same messages inside an authenticated session.
    case protected = 4

    /// The UUID of the layout's service.
    public var service: String {
        switch self {
        case .standard: PairingService.standardLayout
        case .chunked: "25240010-8994-48CE-A065-C4D2EE9FDB73"
        case .protected: "25240020-8994-48CE-A065-C4D2EE9FDB73"
        }
    }

    /// The UUID of the characteristic that carries the messages; nil for the standard layout, which has one for each field.
    public var exchange: String? {
        switch self {
        case .standard: nil
        case .chunked: "25240011-8994-48CE-A065-C4D2EE9FDB73"
        case .protected: "25240021-8994-48CE-A065-C4D2EE9FDB73"
        }
    }

    /// Orders by preference.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension PairingInfo.Layouts {
    /// A set of one.
    public init(_ layout: PairingLayout) { self.init(rawValue: layout.rawValue) }

    /// Those of the set that this version knows, from the least to the most preferred.
    public var known: [PairingLayout] { PairingLayout.allCases.filter { contains(Self($0)) } }

    /// The one a client takes.
    public var best: PairingLayout? { known.last }

    /// The one whose service stands in the advertising packet, where there is room for one only: the one that the oldest
    /// clients look for.
    public var advertised: PairingLayout? { known.first }
}
