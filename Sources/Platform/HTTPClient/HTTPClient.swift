import Basics

/// Sends HTTP requests and reads whole answers within bounds, over libcurl.
///
/// It speaks HTTP/1.1, and HTTP/2 with TLS where the server does, and keeps connections open for the next request. It
/// follows no redirection, keeps no cookies and no cache, answers no question for a password and asks for no compression.
/// TLS is 1.2 or newer, with the authorities of the system and the name of the host verified.
///
/// As every program that uses libcurl, it goes through the proxies that the environment names: `http_proxy` (in small
/// letters only), `https_proxy`, `all_proxy`, and around them for the hosts in `no_proxy`. It reads no other variable and no
/// `.netrc`. A request on a kept connection that the server had closed, so that not a byte of an answer came, is sent once
/// more on a new one.
///
/// Safe from any task. The transfers are on a thread of its own, which the first request starts, and which ends with
/// ``close()``, with the client, or when the process exits.
public final class HTTPClient: Sendable {
    private let mailbox: Mailbox

    /// A client; nothing is opened before the first request.
    public init(_ configuration: Configuration = Configuration()) { mailbox = Mailbox(configuration) }

    deinit { mailbox.close() }

    /// Sends a request and waits for the whole answer, whatever its status. When the calling task is cancelled, it throws
    /// at once and the connection is closed.
    public func send(_ request: Request) async throws(HTTPClientError) -> Answer {
        let exchange = Exchange(try CheckedRequest(request))
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard exchange.wait(continuation) else { return }
                if let failure = mailbox.submit(.start(exchange)) { exchange.finish(.failure(failure)) }
            }
        } onCancel: {
            guard exchange.finish(.failure(.cancelled)) else { return }
            // Refused only by a closed client, which has ended the transfer.
            _ = mailbox.submit(.cancel(exchange))
        }
        return try outcome.get()
    }

    /// Ends what is under way, with ``HTTPClientError/closed``, and closes the connections. Later requests fail in the same
    /// way. It does not wait.
    public func close() { mailbox.close() }
}
