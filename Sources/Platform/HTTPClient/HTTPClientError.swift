/// Why a request has no answer.
///
/// Descriptions name the host and port at most: no path, header or body.
public enum HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The address is no `http` or `https` address with a host and without a user name. Nothing was sent.
    case invalidURL(reason: String)
    /// The method is no token, or `CONNECT`. Nothing was sent.
    case invalidMethod
    /// A header field has a name that is no token or is the client's own, or a value that does not stand in one line.
    /// Nothing was sent.
    case invalidHeader(name: String, reason: String)
    /// The name has no address: a typing error, no network, or a broken resolver.
    case hostNotFound(host: String)
    /// Nothing accepts connections there, or the way there is closed.
    case cannotConnect(host: String)
    /// There is no secure connection: the certificate is not accepted, or no version of TLS is common.
    case notSecure(host: String, reason: String)
    /// The connection broke off before the answer was complete.
    case connectionLost(host: String)
    /// The answer was not complete in time.
    case timedOut(host: String)
    /// What answers does not speak HTTP, or not well.
    case malformedAnswer(host: String)
    /// The answer's body is longer than the request allows, in bytes.
    case answerTooLarge(limit: Int)
    /// The calling task was cancelled.
    case cancelled
    /// The client was closed.
    case closed
    /// Anything else, in libcurl's words.
    case failed(host: String, reason: String)

    /// What happened, without the host.
    public var reason: String {
        switch self {
        case .invalidURL(let reason): reason
        case .invalidMethod: "its method is no word that can be sent"
        case .invalidHeader(let name, let reason): "its header \(name) \(reason)"
        case .hostNotFound: "no host of that name is known"
        case .cannotConnect: "nothing accepts connections there"
        case .notSecure(_, let reason): reason
        case .connectionLost: "the connection broke off"
        case .timedOut: "nothing came back in time"
        case .malformedAnswer: "what answers there does not speak HTTP"
        case .answerTooLarge(let limit): "the answer is longer than \(limit) bytes"
        case .cancelled: "the request was cancelled"
        case .closed: "the client is closed"
        case .failed(_, let reason): reason
        }
    }

    /// What happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .invalidURL, .invalidMethod, .invalidHeader: "the request cannot be sent: \(reason); correct it"
        case .hostNotFound(let host), .cannotConnect(let host), .connectionLost(let host), .timedOut(let host),
            .failed(let host, _):
            "no answer from \(host): \(reason); check the address, the server and the network, then try again"
        case .notSecure(let host, _):
            "no secure connection to \(host): \(reason); check the address, the certificate and this machine's date"
        case .malformedAnswer(let host): "no answer from \(host): \(reason); check the address and the port"
        case .answerTooLarge: "\(reason); check the address, or allow more"
        case .cancelled: "\(reason); send it again if it is still wanted"
        case .closed: "\(reason); make another one"
        }
    }
}
