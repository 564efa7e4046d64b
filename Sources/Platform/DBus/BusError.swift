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

    // Names that the D-Bus specification and libdbus define.
    static let failed = "org.freedesktop.DBus.Error.Failed"
    static let noReply = "org.freedesktop.DBus.Error.NoReply"
    static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
    static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
    static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
    static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
    static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
    static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
    static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"

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
