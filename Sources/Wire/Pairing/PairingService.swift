/// The GATT services a camera offers while it waits to be paired; here the standard layout, one characteristic a field.
///
/// Written down in `docs/pairing-protocol.md`. UUIDs are strings here so that this storey needs no radio. Every layout
/// has a service UUID of its own, which stands in the advertising packet itself: a client never probes.
public enum PairingService {
    /// The service of the standard layout.
    public static let standardLayout = "25240001-8994-48CE-A065-C4D2EE9FDB73"

    /// Each characteristic of the standard layout, by what it carries.
    public enum Characteristic: String, Sendable, CaseIterable {
        /// Read: ``PairingInfo``.
        case info = "25240002-8994-48CE-A065-C4D2EE9FDB73"
        /// Read: the 27 characters of the device id; empty when the camera has none to report.
        case deviceID = "25240003-8994-48CE-A065-C4D2EE9FDB73"
        /// Write: ``NetworkScanCommand``. Notify: one ``NetworkListRecord`` a message, framed by ``Frame``.
        case networks = "25240004-8994-48CE-A065-C4D2EE9FDB73"
        /// Write: 1 to 32 bytes.
        case ssid = "25240005-8994-48CE-A065-C4D2EE9FDB73"
        /// Write: one byte, a ``WiFiSecurity`` code. Left out, it is WPA2 where a password is written and open where not.
        case security = "25240006-8994-48CE-A065-C4D2EE9FDB73"
        /// Write: 8 to 63 characters, or 64 hexadecimal digits. Not written at all for an open network.
        case password = "25240007-8994-48CE-A065-C4D2EE9FDB73"
        /// Write: the pairing session key, 16 to 128 bytes of ASCII.
        case sessionKey = "25240008-8994-48CE-A065-C4D2EE9FDB73"
        /// Write: a ``ServerRegion`` by name or code.
        case region = "25240009-8994-48CE-A065-C4D2EE9FDB73"
        /// Write: a ``ServerEnvironment`` by name or code. This is the last field: its write applies them all.
        case environment = "2524000A-8994-48CE-A065-C4D2EE9FDB73"
        /// Read and notify: ``PairingState``, two bytes.
        case status = "2524000B-8994-48CE-A065-C4D2EE9FDB73"
    }

    /// The prefix of a pairing camera's advertised name; the last four characters of its device id follow.
    public static let advertisedNamePrefix = "PORCH-"

    /// Staged fields are wiped this many seconds after the last write, and when the link is lost, unless applied.
    public static let stagedFieldsLifetime: Duration = .seconds(60)

    /// What the camera answers to a write it does not accept: ATT application errors, 0x80 to 0x9F.
    public enum WriteRefusal: Int, Sendable, Error, CaseIterable {
        /// The value is shorter or longer than the field may be.
        case length = 0x80
        /// The value is not UTF-8.
        case notText = 0x81
        /// The value is outside the field's set.
        case value = 0x82
        /// The last field came and another is still missing.
        case incomplete = 0x83
        /// The camera is already joining a network, or another client holds the pairing.
        case busy = 0x84
        /// The command is not known.
        case unknownCommand = 0x85
        /// A frame is not the one due: the position tells which is.
        case frameOrder = 0x86
        /// The exchange was written before its notifications were enabled.
        case notSubscribed = 0x87
        /// Too many wrong setup codes: pairing is closed for a minute, or until the camera is switched off and on.
        case locked = 0x88
        /// The setup code is not the camera's.
        case wrongSetupCode = 0x89
        /// The camera takes nobody without its setup code.
        case setupCodeRequired = 0x8A
        /// There is no conversation yet, or no key, or the message was not sealed with it.
        case noSession = 0x8B

        /// The refusal that a decoding error calls for.
        public init(_ error: WireError) {
            switch error {
            case .length: self = .length
            case .notText: self = .notText
            case .missing: self = .incomplete
            case .frameOrder: self = .frameOrder
            case .value, .version, .lines: self = .value
            }
        }
    }
}
