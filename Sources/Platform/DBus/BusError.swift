import Glibc

/// Why something on the bus was not done.
public enum BusError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no bus at the address, or it refused the connection. The text says where, why and what to do.
    case unreachable(String)
    /// The other side, or the bus itself, answered with an error: its D-Bus name, such as `org.bluez.Error.InProgress`,
    /// and its text.
    case remote(name: String, message: String)
    /// Nobody answered in time. The text names the call.
    case timedOut(String)
    /// The connection is gone, or was closed. Make a new one.
    case disconnected
    /// An answer does not have the form that was expected, or more content than is accepted from another process.
    case unexpectedReply(String)
    /// A path, a name or a value that D-Bus does not allow; nothing was sent.
    case invalid(String)

    /// The D-Bus name of a remote error, else nil.
    public var name: String? {
        if case .remote(let name, _) = self { name } else { nil }
    }

    /// What happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .unreachable(let text): text
        case .remote(Self.accessDenied, let message):
            "the bus's policy refuses this (\(message)): run as a user whom a file in /etc/dbus-1/system.d allows it"
        case .remote(Self.serviceUnknown, let message):
            "nobody provides this service (\(message)): start the program that does"
        case .remote(let name, let message): message.isEmpty ? name : "\(message) (\(name))"
        case .timedOut(let call): "no answer to \(call) in time: the service may be busy or stuck; try again"
        case .disconnected: "the connection to the message bus is gone: connect again"
        case .unexpectedReply(let text):
            "\(text): the two programs do not agree on the interface; compare their versions"
        case .invalid(let text): "\(text): D-Bus does not allow that; nothing was sent"
        }
    }

    /// Whether nobody answers there: there is no bus, or no such service on it, or it does not answer, or this account may
    /// not call it. Not for an answer that says no.
    public var isUnavailable: Bool {
        switch self {
        case .unreachable, .disconnected, .timedOut: true
        case .unexpectedReply, .invalid: false
        case .remote(Self.serviceUnknown, _), .remote(Self.nameHasNoOwner, _), .remote(Self.noReply, _),
            .remote(Self.accessDenied, _):
            true
        // The bus could not start it.
        case .remote(let name, _): name.hasPrefix(Self.spawn)
        }
    }

    // Names that the D-Bus specification and libdbus define.
    private static let prefix = BusName.bus + ".Error."
    private static let spawn = prefix + "Spawn."
    /// Any failure that has no name of its own.
    public static let failed = prefix + "Failed"
    /// The service has dropped the call, or has ended, or the bus has not waited longer.
    public static let noReply = prefix + "NoReply"
    /// The bus's policy, or the service, does not allow it to this account.
    public static let accessDenied = prefix + "AccessDenied"
    /// Nobody has the name, and the bus cannot start anybody who has.
    public static let serviceUnknown = prefix + "ServiceUnknown"
    /// Nobody has the name.
    public static let nameHasNoOwner = prefix + "NameHasNoOwner"
    /// The interface has no such method.
    public static let unknownMethod = prefix + "UnknownMethod"
    /// There is no such object.
    public static let unknownObject = prefix + "UnknownObject"
    /// The object has no such interface.
    public static let unknownInterface = prefix + "UnknownInterface"
    /// The interface has no such property.
    public static let unknownProperty = prefix + "UnknownProperty"
    /// The property cannot be set.
    public static let propertyReadOnly = prefix + "PropertyReadOnly"
    /// The arguments are not those of the method.
    public static let invalidArguments = prefix + "InvalidArgs"
    /// The bus, or this program, has too much to keep already.
    public static let limitsExceeded = prefix + "LimitsExceeded"

    /// The error for a negative result of sd-bus while `what` was put together or sent.
    init(sending what: String, result: Int32) {
        switch -result {
        case ENOTCONN, ECONNRESET, EPIPE, ESHUTDOWN: self = .disconnected
        case ENOBUFS, ENOMEM:
            self = .remote(name: Self.limitsExceeded, message: "\(what): too much is waiting to be sent")
        default: self = .invalid("\(what) (\(Self.text(of: result)))")
        }
    }

    /// The system's text for a negative result.
    static func text(of result: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let text = buffer.baseAddress, strerror_r(-result, text, buffer.count) == 0 else {
                return "error \(-result)"
            }
            return String(cString: text)
        }
    }
}
