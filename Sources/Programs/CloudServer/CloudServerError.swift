import SQLite
import WebSockets

/// Why a cloud did not start, or an operator's call was not done. Each description is one line that says how to mend it.
public enum CloudServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The data directory cannot be made, read or written, or others may write to it.
    case dataDirectory(path: String, reason: String)
    /// The database in the data directory cannot be used.
    case database(reason: String)
    /// Another program listens on the port.
    case portInUse(host: String, port: Int)
    /// The address cannot be listened on.
    case cannotListen(host: String, port: Int, reason: String)
    /// The directory of the web page cannot be read or has no `index.html`.
    case console(path: String, reason: String)
    /// A value of the configuration is outside its range.
    case configuration(field: String, reason: String)
    /// There is no such space.
    case noSuchSpace(id: String)

    /// What happened and how to mend it.
    public var description: String {
        switch self {
        case .dataDirectory(let path, let reason): "cannot use the data directory \(path): \(reason)"
        case .database(let reason): reason
        case .portInUse(let host, let port):
            "port \(port) on \(host) is in use: end the program that holds it, or choose another port (0 takes any)"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host) port \(port): \(reason); choose an address of this machine"
        case .console(let path, let reason): "cannot serve the web page from \(path): \(reason)"
        case .configuration(let field, let reason): "\(field) \(reason)"
        case .noSuchSpace(let id): "there is no space \(id): list the spaces and name one of them"
        }
    }

    init(_ error: WebSocketsError, host: String, port: Int) {
        self =
            switch error {
            case .portInUse(let host, let port): .portInUse(host: host, port: port)
            default: .cannotListen(host: host, port: port, reason: "\(error)")
            }
    }

    init(_ error: StoreError) {
        self = .database(reason: "\(error)")
    }
}
