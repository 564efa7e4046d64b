import Basics
import CCurl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A client's thread: it runs the transfers, obeys the mailbox, and sleeps in between.
///
/// Confined to that thread, with all of libcurl's handles: no transfer can end while it is being cancelled.
final class TransferLoop {
    private typealias Easy = UnsafeMutableRawPointer

    private let multi: UnsafeMutableRawPointer
    private let mailbox: Mailbox
    private let configuration: HTTPClient.Configuration
    private var transfers: [Easy: Transfer] = [:]
    private var handles: [ObjectIdentifier: Easy] = [:]

    init(_ multi: MultiHandle, _ mailbox: Mailbox, _ configuration: HTTPClient.Configuration) {
        self.multi = multi.pointer
        self.mailbox = mailbox
        self.configuration = configuration
    }

    /// Runs until the mailbox is closed, and ends what is under way then.
    func run() {
        Self.blockBrokenPipes()
        while let commands = mailbox.take() {
            for command in commands { obey(command) }
            guard perform(), wait() else {
                mailbox.close()
                break
            }
        }
        for transfer in transfers.values { end(transfer, .failure(.closed)) }
    }

    private func obey(_ command: Mailbox.Command) {
        switch command {
        case .start(let exchange): start(exchange)
        case .cancel(let exchange):
            guard let transfer = handles[ObjectIdentifier(exchange)].flatMap({ transfers[$0] }) else { return }
            end(transfer, .failure(.cancelled))
        }
    }

    private func start(_ exchange: Exchange) {
        // Cancelled on its way here.
        guard !exchange.isFinished else { return }
        do throws(HTTPClientError) {
            let transfer = try Transfer(exchange, configuration)
            let result = curl_multi_add_handle(multi, transfer.easy)
            guard result == CURLM_OK else {
                throw .failed(host: exchange.request.host, reason: String(cString: curl_multi_strerror(result)))
            }
            transfers[transfer.easy] = transfer
            handles[ObjectIdentifier(exchange)] = transfer.easy
        } catch {
            exchange.finish(.failure(error))
        }
    }

    /// Goes as far as no transfer has to wait, and ends those that are complete or late.
    /// - Returns: Whether libcurl is fit for more.
    private func perform() -> Bool {
        var count: Int32 = 0
        guard curl_multi_perform(multi, &count) == CURLM_OK else { return false }
        var complete: [(Transfer, CURLcode)] = []
        while let message = curl_multi_info_read(multi, &count) {
            guard message.pointee.msg == CURLMSG_DONE, let transfer = transfers[message.pointee.easy_handle] else {
                continue
            }
            complete.append((transfer, message.pointee.data.result))
        }
        for (transfer, code) in complete { end(transfer, transfer.outcome(code)) }
        // Not left to libcurl: before 8.8 it knows no time-out while a transfer waits for a connection.
        let now = ContinuousClock.now
        for transfer in transfers.values where transfer.deadline <= now {
            end(transfer, .failure(.timedOut(host: transfer.exchange.request.host)))
        }
        return true
    }

    /// Sleeps until something can be read or written, a time-out of libcurl's or of a request has passed, or the mailbox
    /// wakes it.
    private func wait() -> Bool {
        var milliseconds: Int32 = .max
        if let first = transfers.values.map(\.deadline).min() {
            let left = ContinuousClock.now.duration(to: first) / .milliseconds(1)
            milliseconds = Int32(min(max(0, left.rounded(.up)), Double(Int32.max)))
        }
        return curl_multi_poll(multi, nil, 0, milliseconds, nil) == CURLM_OK
    }

    /// Takes a transfer off libcurl, which closes its connection unless it is complete, and tells who waits.
    private func end(_ transfer: Transfer, _ outcome: Exchange.Outcome) {
        curl_multi_remove_handle(multi, transfer.easy)
        transfers[transfer.easy] = nil
        handles[ObjectIdentifier(transfer.exchange)] = nil
        transfer.exchange.finish(outcome)
    }

    /// TLS libraries write without `MSG_NOSIGNAL`. The signal of a broken pipe goes to the thread that wrote, and stays
    /// pending for ever where it is blocked.
    private static func blockBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
