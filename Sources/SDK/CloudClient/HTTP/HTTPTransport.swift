import Basics
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries requests over one `URLSession` without cache, cookies or redirection, and bounds what it reads.
///
/// Thread-safe: exchanges are found by their task's number behind a lock, and each guards itself.
///
/// Tasks are cancelled on the delegate's serial queue, a task whose redirection has been answered is not cancelled, and
/// the redirection of a cancelled task is not answered: on Linux `URLSession` stops the program when it works on the
/// answer after the cancellation.
final class HTTPTransport: Sendable {
    private let receiver = Receiver()
    private let session: URLSession
    private let queue = OperationQueue()

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = 8
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: queue)
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
            queue.addOperation { [receiver] in
                if receiver.remove(task) != nil { task.cancel() }
            }
        }
    }
}

/// Hands what the session reports to the exchange it belongs to.
private final class Receiver: NSObject, URLSessionDataDelegate {
    private let exchanges = Locked<[Int: Exchange]>([:])

    func add(_ exchange: Exchange, task: Int) { exchanges.withLock { $0[task] = exchange } }

    /// Forgets an exchange, once.
    func remove(_ task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        guard let exchange = remove(task) else { return }
        let target = request.url.flatMap { try? Origin(cloud: $0) }.map { "\($0.scheme)://\($0)" }
        completionHandler(nil)
        exchange.finish(.failure(.redirected(to: target ?? "another address")))
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
        remove(task)?.complete(error)
    }
}
