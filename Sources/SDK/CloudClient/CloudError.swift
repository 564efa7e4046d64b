import Foundation
import HTTPClient
public import Wire

/// Why a call to the cloud has no result.
///
/// Descriptions are for people and hold no token, key or body.
public enum CloudError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `InstaSDK.configure` has not been called.
    case notConfigured
    /// The configured address is no `http` or `https` address with a host.
    case badAddress(String)
    /// An argument cannot stand in a request.
    case badArgument(name: String, reason: String)
    /// There is no connection to the host.
    case unreachable(host: String, reason: String)
    /// The complete answer did not come in time.
    case timedOut(host: String, after: Duration)
    /// The server sends callers to another address; the token is not carried there.
    case redirected(to: String)
    /// 401: no token, or not a valid one.
    case unauthorized(reason: String)
    /// The cloud said no, with its reason. `retryAfter` is set when it names a time to try again.
    case api(APIError, status: Int, retryAfter: Duration?)
    /// The answer is larger than this client reads, in bytes.
    case tooLarge(limit: Int)
    /// The answer is none that this client knows.
    case unexpectedAnswer(status: Int, reason: String)
    /// The task or the subscription was cancelled.
    case cancelled

    /// Whether the same call may succeed later without anybody changing anything.
    public var isTransient: Bool {
        switch self {
        case .unreachable, .timedOut: true
        case .api(_, let status, _), .unexpectedAnswer(let status, _): status >= 500 || status == 408 || status == 429
        case .notConfigured, .badAddress, .badArgument, .redirected, .unauthorized, .tooLarge, .cancelled: false
        }
    }

    /// What the cloud answered, where it answered with an error of its own.
    public var apiError: APIError? {
        if case .api(let error, _, _) = self { error } else { nil }
    }

    /// What happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .notConfigured:
            "no cloud is configured; call InstaSDK.configure(environment:region:cloud:token:) when the program starts"
        case .badAddress(let reason): "the configured cloud address cannot be used: \(reason); correct it"
        case .badArgument(let name, let reason): "\(name) \(reason); pass the one that the cloud or the camera gave"
        case .unreachable(let host, let reason):
            "cannot reach the cloud at \(host): \(reason); check the address, the server and the network"
        case .timedOut(let host, let limit):
            "the cloud at \(host) did not answer within \(limit.formatted(.units(width: .narrow))); try again"
        case .redirected(let address):
            "the cloud sends callers to \(address); configure that address if it is yours"
        case .unauthorized(let reason): "the cloud does not accept the token: \(reason); log in again"
        case .api(let error, let status, _): "\(error) [\(status) \(error.code)]"
        case .tooLarge(let limit):
            "the answer is longer than \(limit) bytes; check that the address is that of a Porchlight cloud"
        case .unexpectedAnswer(let status, let reason):
            "unexpected answer with status \(status): \(reason); check that the address is that of a Porchlight cloud"
        case .cancelled: "the call was cancelled"
        }
    }
}

extension CloudError {
    /// What an answer with an error status means.
    init(refusal answer: HTTPClient.Answer) {
        let error = try? JSONDecoder().decode(APIError.self, from: answer.body)
        switch (answer.status, error) {
        case (401, let error): self = .unauthorized(reason: error?.message ?? "the answer was 401 without a reason")
        case (400..., let error?):
            self = .api(error, status: answer.status, retryAfter: answer.retryAfter)
        default: self = .unexpectedAnswer(status: answer.status, reason: "it carries no error of the cloud's form")
        }
    }

    /// What an answer means that asks for more than this client does; nil where it asks for nothing.
    init?(notFollowing answer: HTTPClient.Answer) {
        if answer.isRedirection {
            let target = answer.redirectionTarget.flatMap { try? Origin(cloud: $0) }.map { "\($0.scheme)://\($0)" }
            self = .redirected(to: target ?? "another address")
        } else if answer.asksForPassword {
            self = .unauthorized(reason: "the server asks for a user name and a password")
        } else {
            return nil
        }
    }

    /// Why there is no answer.
    init(_ error: HTTPClientError, host: String) {
        self =
            switch error {
            case .cancelled: .cancelled
            case .answerTooLarge(let limit): .tooLarge(limit: limit)
            case .invalidURL(let reason): .badAddress(reason)
            // The only header that holds what a caller gave.
            case .invalidHeader(_, let reason): .badArgument(name: "token", reason: reason)
            case .invalidMethod, .hostNotFound, .cannotConnect, .notSecure, .connectionLost, .timedOut,
                .malformedAnswer, .closed, .failed:
                .unreachable(host: host, reason: error.reason)
            }
    }
}
