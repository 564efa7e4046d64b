import Basics
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request's answer while it comes in. Its first outcome stays; what the session reports afterwards is ignored.
final class Exchange: Sendable {
    typealias Outcome = Result<HTTPAnswer, CloudError>

    private struct State {
        var answer: HTTPAnswer?
        var outcome: Outcome?
        var continuation: CheckedContinuation<Outcome, Never>?
    }

    private let host: String
    private let limit: Int
    private let state = Locked(State())

    init(host: String, limit: Int) {
        self.host = host
        self.limit = limit
    }

    /// Waits for the outcome. Called once.
    func outcome() async -> Outcome {
        await withCheckedContinuation { continuation in
            let known: Outcome? = state.withLock { state in
                if state.outcome == nil { state.continuation = continuation }
                return state.outcome
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Sets the outcome, unless there is one.
    func finish(_ outcome: Outcome) {
        let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            state.answer = nil
            defer { state.continuation = nil }
            return state.continuation
        }
        waiting?.resume(returning: outcome)
    }

    /// Takes the head of the answer.
    /// - Returns: Whether the body is wanted.
    func begin(_ response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse, let url = response.url else {
            finish(.failure(.unexpectedAnswer(status: 0, reason: "it is not HTTP")))
            return false
        }
        guard response.expectedContentLength <= Int64(limit) else {
            finish(.failure(.tooLarge(limit: limit)))
            return false
        }
        var fields: [String: String] = [:]
        for case (let name as String, let value as String) in response.allHeaderFields {
            fields[name.lowercased()] = value
        }
        let answer = HTTPAnswer(status: response.statusCode, fields: fields, body: Data(), url: url)
        return state.withLock { state in
            guard state.outcome == nil else { return false }
            state.answer = answer
            return true
        }
    }

    /// Takes a part of the body.
    /// - Returns: Whether more is wanted.
    func append(_ data: Data) -> Bool {
        let fits = state.withLock { state -> Bool? in
            guard state.outcome == nil, let length = state.answer?.body.count else { return nil }
            guard data.count <= limit - length else { return false }
            state.answer?.body.append(data)
            return true
        }
        if fits == false { finish(.failure(.tooLarge(limit: limit))) }
        return fits == true
    }

    /// Takes the end of the transfer.
    func complete(_ error: (any Error)?) {
        switch error {
        case nil:
            let answer = state.withLock { $0.answer }
            finish(answer.map { .success($0) } ?? .failure(.unexpectedAnswer(status: 0, reason: "it has no head")))
        case let error as URLError where error.code == .cancelled: finish(.failure(.cancelled))
        case let error?: finish(.failure(.unreachable(host: host, reason: Self.reason(error))))
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? URLError else { return "\(type(of: error))" }
        return switch error.code {
        case .cannotFindHost, .dnsLookupFailed: "no host of that name is known"
        case .cannotConnectToHost: "nothing accepts connections there"
        case .networkConnectionLost: "the connection broke off"
        case .notConnectedToInternet: "this machine has no network"
        case .timedOut: "nothing came back for a minute"
        case .secureConnectionFailed: "no secure connection could be agreed on"
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
            "its certificate is not trusted by this machine"
        case .serverCertificateHasBadDate, .serverCertificateNotYetValid: "its certificate is not valid today"
        case .badServerResponse, .cannotParseResponse: "what answers there does not speak HTTP"
        default: "\(error.localizedDescription) (code \(error.code.rawValue))"
        }
    }
}
