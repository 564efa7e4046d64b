import Basics
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries requests over one `URLSession` without cache, cookies or redirection, and bounds what it reads.
///
/// Thread-safe: exchanges are found by their task's number behind a lock, and each guards itself.
final class HTTPTransport: Sendable {
    private let receiver = Receiver()
    private let session: URLSession

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = 8
        session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends `request`. Ends at once with ``CloudError/cancelled`` when the calling task is cancelled.
    /// - Parameters:
    ///   - host: Named in errors.
    ///   - limit: The largest body that is read, in bytes.
    func send(_ request: URLRequest, host: String, limit: Int) async -> Result<HTTPAnswer, CloudError> {
        let task = session.dataTask(with: request)
        let exchange = Exchange(host: host, limit: limit)
        receiver.add(exchange, task: task.taskIdentifier)
        return await withTaskCancellationHandler {
            task.resume()
            return await exchange.outcome()
        } onCancel: {
            exchange.finish(.failure(.cancelled))
            task.cancel()
        }
    }
}

/// Hands what the session reports to the exchange it belongs to.
private final class Receiver: NSObject, URLSessionDataDelegate {
    private let exchanges = Locked<[Int: Exchange]>([:])

    func add(_ exchange: Exchange, task: Int) { exchanges.withLock { $0[task] = exchange } }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        let target = request.url.flatMap { try? Origin(cloud: $0) }.map { "\($0.scheme)://\($0)" }
        exchange(of: task)?.finish(.failure(.redirected(to: target ?? "another address")))
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let passwords = [
            NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodNTLM,
        ]
        guard passwords.contains(challenge.protectionSpace.authenticationMethod) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        exchange(of: task)?.finish(.failure(.unauthorized(reason: "the server asks for a user name and a password")))
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let goesOn = exchange(of: dataTask)?.begin(response) ?? false
        completionHandler(goesOn ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let exchange = exchange(of: dataTask) else { return }
        if !exchange.append(data) { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.complete(error)
    }
}
