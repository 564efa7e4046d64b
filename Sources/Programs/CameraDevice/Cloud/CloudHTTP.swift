import Basics
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests to the cloud that follow no redirect and take no endless answer.
///
/// A delegate rather than the `async` methods of `URLSession`, because those follow redirects on Linux whatever the task's
/// delegate says. State is behind one lock. The session holds its delegate until ``close()``.
///
/// Tasks are cancelled on the delegate's serial queue, and a redirect of a cancelled task is not answered there: on Linux
/// `URLSession` stops the program when the answer to a redirect comes after the cancellation.
final class CloudHTTP: NSObject, URLSessionDataDelegate, Sendable {
    /// A whole answer.
    struct Answer: Sendable {
        var status: Int
        var body: Data
    }

    /// A longer answer is cut off, and an error.
    static let maximumAnswerBytes = 1 << 16

    private struct Exchange {
        var continuation: CheckedContinuation<Answer, any Error>
        var body = Data()
    }

    private let exchanges = Locked<[Int: Exchange]>([:])
    private let session = Locked<URLSession?>(nil)
    private let queue = OperationQueue()

    override init() {
        super.init()
        queue.maxConcurrentOperationCount = 1
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        let made = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        session.withLock { $0 = made }
    }

    /// Cancels what is under way and lets go of the session.
    func close() {
        session.withLock { session in
            defer { session = nil }
            return session
        }?.invalidateAndCancel()
    }

    /// Sends a request and waits for the whole answer.
    /// - Throws: `URLError`; cancelled with the task.
    func send(_ request: URLRequest) async throws -> Answer {
        guard let session = session.withLock({ $0 }) else { throw URLError(.cancelled) }
        let task = session.dataTask(with: request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchanges.withLock { $0[task.taskIdentifier] = Exchange(continuation: continuation) }
                // A cancellation that came before found nothing to cancel.
                if Task.isCancelled { return cancel(task) }
                task.resume()
            }
        } onCancel: {
            cancel(task)
        }
    }

    private func cancel(_ task: URLSessionTask) {
        queue.addOperation { [self] in
            guard finish(task, .failure(URLError(.cancelled))) else { return }
            task.cancel()
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        // Before the caller goes on, who may close the session, which cancels too.
        completionHandler(nil)
        exchange.continuation.resume(returning: Answer(status: response.statusCode, body: Data()))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let passwords = [
            NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodNTLM,
        ]
        guard passwords.contains(challenge.protectionSpace.authenticationMethod) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        // No cloud asks for a password; left alone, the task would wait for one.
        finish(task, .failure(URLError(.userAuthenticationRequired)))
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = exchanges.withLock { exchanges in
            guard var exchange = exchanges[dataTask.taskIdentifier] else { return false }
            exchange.body += data
            exchanges[dataTask.taskIdentifier] = exchange
            return exchange.body.count > Self.maximumAnswerBytes
        }
        if isTooLong {
            finish(dataTask, .failure(URLError(.dataLengthExceedsMaximum)))
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error {
            finish(task, .failure(error))
            return
        }
        guard let response = task.response as? HTTPURLResponse else {
            finish(task, .failure(URLError(.badServerResponse)))
            return
        }
        let body = exchanges.withLock { $0[task.taskIdentifier]?.body }
        finish(task, .success(Answer(status: response.statusCode, body: body ?? Data())))
    }

    /// Ends an exchange, once.
    /// - Returns: Whether it was under way.
    @discardableResult
    private func finish(_ task: URLSessionTask, _ result: Result<Answer, any Error>) -> Bool {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return false }
        exchange.continuation.resume(with: result)
        return true
    }
}
