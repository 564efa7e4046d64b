/// What can go wrong with a server, a client connection or a WebSocket.
public enum WebSocketsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another program (or another server of this one) listens on the address already.
    case portInUse(host: String, port: Int)
    /// The server could not listen; `reason` is the system's or the TLS library's.
    case cannotListen(host: String, port: Int, reason: String)
    /// The URL is not a `ws://` or `wss://` URL with a host.
    case invalidURL(String)
    /// The name has no address: a typing error, no network, or a broken resolver.
    case hostNotFound(host: String)
    /// No WebSocket could be opened. The URL is without its query and credentials.
    case cannotConnect(url: String, reason: String)
    /// The server answered the upgrade with this HTTP status instead of 101.
    case refused(status: Int)
    /// The server did not answer within the connection timeout.
    case timeout
    /// The task that was connecting has been cancelled.
    case cancelled
    /// The WebSocket is closed. `code` is of RFC 6455 section 7.4: 1006 when the connection was lost without a close
    /// frame, else what the side that closed gave.
    case closed(code: Int, reason: String)
    /// The other side reads too slowly: what waited for it passed the queue's cap, and the socket was closed.
    case slowReader
    /// The message is over the limit, in bytes.
    case messageTooLarge(limit: Int)

    /// What happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .portInUse(let host, let port):
            "port \(port) on \(host) is in use; stop the program that listens there (ss -ltnp shows it) or choose "
                + "another port"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host) port \(port): \(reason); check the address, the port and the TLS files"
        case .invalidURL(let url):
            "\(url) is not a WebSocket URL; give ws://host[:port]/path or wss://host[:port]/path"
        case .hostNotFound(let host):
            "the host \(host) has no address; check its spelling and the network connection"
        case .cannotConnect(let url, let reason):
            "cannot open a WebSocket to \(url): \(reason); check that the server runs there, then try again"
        case .refused(let status):
            "the server refused the WebSocket with HTTP status \(status); check the path and the credentials"
        case .timeout: "the server did not answer in time; check the address and the network, then try again"
        case .cancelled: "connecting was cancelled; connect again if it is still wanted"
        case .closed(let code, let reason):
            "the WebSocket is closed (code \(code)\(reason.isEmpty ? "" : ", \(reason)")); connect again to go on"
        case .slowReader:
            "the other side reads too slowly and the WebSocket was closed; send less, or connect again"
        case .messageTooLarge(let limit):
            "the message is over the limit of \(limit) bytes; send it in parts or raise the limit on both sides"
        }
    }
}
