import CCurl
import Foundation

/// One request on libcurl: its handle, and what has come back so far.
///
/// Confined to the thread of its loop, where libcurl calls it back from inside `curl_multi_perform`.
final class Transfer {
    /// All heads of one answer together, interim ones too; more is no honest answer.
    private static let maximumHeadBytes = 64 << 10

    /// Why no more is taken.
    private enum Stop {
        case headTooLong
        case bodyTooLong
        case redirection
    }

    let easy: UnsafeMutableRawPointer
    let exchange: Exchange
    let deadline: ContinuousClock.Instant
    private var lines: UnsafeMutablePointer<curl_slist>?
    private var headBytes = 0
    private var body = Data()
    private var stop: Stop?

    /// Makes the handle; nothing is sent yet.
    init(_ exchange: Exchange, _ configuration: HTTPClient.Configuration) throws(HTTPClientError) {
        guard let easy = curl_easy_init() else {
            throw .failed(host: exchange.request.host, reason: "no memory is left")
        }
        self.easy = easy
        self.exchange = exchange
        deadline = .now + exchange.request.request.timeout
        try setUp(configuration)
        try setRequest(exchange.request)
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(lines)
    }

    private func setUp(_ configuration: HTTPClient.Configuration) throws(HTTPClientError) {
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = configuration.caFile {
            try set(CURLOPT_CAINFO, file)
            try set(CURLOPT_CAPATH, nil)
        }
        let connecting = configuration.connectTimeout / .milliseconds(1)
        // Zero would be libcurl's own default.
        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(1, connecting.rounded(.up)), Double(Int32.max))))
        try set(CURLOPT_NOSIGNAL, 1)
        // A cancelled transfer does not wait for its name to be looked up, which would stop all others.
        try set(CURLOPT_QUICK_EXIT, 1)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // The address has been read once, and is sent as it stands.
        try set(CURLOPT_PATH_AS_IS, 1)
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(porchlight_curl_set_callback(easy, CURLOPT_HEADERFUNCTION, takeHead))
        try check(porchlight_curl_set_pointer(easy, CURLOPT_HEADERDATA, context))
        try check(porchlight_curl_set_callback(easy, CURLOPT_WRITEFUNCTION, takeBody))
        try check(porchlight_curl_set_pointer(easy, CURLOPT_WRITEDATA, context))
    }

    private func setRequest(_ checked: CheckedRequest) throws(HTTPClientError) {
        let request = checked.request
        try set(CURLOPT_URL, checked.address)
        if let body = request.body {
            try set(CURLOPT_POST, 1)
            try check(porchlight_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            // An empty body may have no bytes to point to, and libcurl would ask for some.
            let copied =
                body.isEmpty
                ? porchlight_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, "")
                : body.withUnsafeBytes { porchlight_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
            try check(copied)
        }
        if request.method == "HEAD" { try set(CURLOPT_NOBODY, 1) }
        try set(CURLOPT_CUSTOMREQUEST, request.method)
        for line in checked.lines {
            guard let longer = curl_slist_append(lines, line) else {
                throw .failed(host: checked.host, reason: "no memory is left")
            }
            lines = longer
        }
        try check(porchlight_curl_set_pointer(easy, CURLOPT_HTTPHEADER, lines))
    }

    /// Takes a line of a head.
    /// - Returns: Whether more is wanted.
    fileprivate func take(head line: UnsafeRawBufferPointer) -> Bool {
        headBytes += line.count
        guard headBytes <= Self.maximumHeadBytes else {
            stop = .headTooLong
            return false
        }
        // The empty line ends a head, and libcurl gives it last.
        guard line.allSatisfy({ $0 == 0x0d || $0 == 0x0a }) else { return true }
        let answer = answer
        if answer.isRedirection {
            // Its body may be endless and is of no use.
            stop = .redirection
        } else if announcedLength(of: answer) > exchange.request.request.maximumAnswerBytes {
            stop = .bodyTooLong
        }
        return stop == nil
    }

    private func announcedLength(of answer: HTTPClient.Answer) -> Int {
        guard exchange.request.request.method != "HEAD", answer.status != 204, answer.status != 304 else { return 0 }
        // What is no number, or one that no machine can hold, is for libcurl to refuse.
        return answer["Content-Length"].flatMap(Int.init) ?? 0
    }

    /// Takes a part of the body.
    /// - Returns: Whether more is wanted.
    fileprivate func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= exchange.request.request.maximumAnswerBytes - body.count else {
            stop = .bodyTooLong
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// What has come of it, once libcurl is done.
    func outcome(_ code: CURLcode) -> Exchange.Outcome {
        let host = exchange.request.host
        let request = exchange.request.request
        switch stop {
        case .headTooLong: return .failure(.malformedAnswer(host: host))
        case .bodyTooLong: return .failure(.answerTooLarge(limit: request.maximumAnswerBytes))
        case .redirection: return .success(answer)
        case nil: break
        }
        switch code {
        case CURLE_OK: return status >= 200 ? .success(answer) : .failure(.malformedAnswer(host: host))
        case CURLE_COULDNT_RESOLVE_HOST: return .failure(.hostNotFound(host: host))
        case CURLE_COULDNT_CONNECT: return .failure(.cannotConnect(host: host))
        case CURLE_OPERATION_TIMEDOUT: return .failure(.timedOut(host: host))
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2_STREAM:
            return .failure(.connectionLost(host: host))
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_BAD_CONTENT_ENCODING:
            return .failure(.malformedAnswer(host: host))
        case CURLE_PEER_FAILED_VERIFICATION: return .failure(.notSecure(host: host, reason: certificateFault))
        case CURLE_SSL_CACERT_BADFILE:
            return .failure(.notSecure(host: host, reason: "the file of trusted authorities cannot be read"))
        case CURLE_SSL_CONNECT_ERROR:
            return .failure(.notSecure(host: host, reason: "no secure connection could be agreed on"))
        default: return .failure(.failed(host: host, reason: Self.text(code)))
        }
    }

    private var answer: HTTPClient.Answer {
        HTTPClient.Answer(
            status: status, fields: fields, body: stop == nil ? body : Data(), url: exchange.request.request.url)
    }

    private var status: Int { number(CURLINFO_RESPONSE_CODE) }

    /// The fields of the newest head, without those of a proxy, of interim answers and behind the body.
    private var fields: [String: String] {
        var fields: [String: String] = [:]
        var header: UnsafeMutablePointer<curl_header>?
        while let next = curl_easy_nextheader(easy, UInt32(CURLH_HEADER), -1, header) {
            header = next
            let name = String(cString: next.pointee.name).lowercased()
            let value = String(cString: next.pointee.value).trimmingCharacters(in: .whitespacesAndNewlines)
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        return fields
    }

    /// By the codes of OpenSSL's verification, which libcurl hands on.
    private var certificateFault: String {
        switch number(CURLINFO_SSL_VERIFYRESULT) {
        case 9, 10: "its certificate is not valid today"
        // The chain was good, or libcurl stopped at the name before it had asked.
        case 0, 1: "its certificate is not for this host"
        default: "its certificate is not trusted by this machine"
        }
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        return porchlight_curl_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }

    private func set(_ option: CURLoption, _ value: Int) throws(HTTPClientError) {
        try check(porchlight_curl_set_long(easy, option, value))
    }

    private func set(_ option: CURLoption, _ text: String?) throws(HTTPClientError) {
        try check(porchlight_curl_set_pointer(easy, option, text))
    }

    private func check(_ code: CURLcode) throws(HTTPClientError) {
        guard code == CURLE_OK else { throw .failed(host: exchange.request.host, reason: Self.text(code)) }
    }

    private static func text(_ code: CURLcode) -> String {
        "\(String(cString: curl_easy_strerror(code))) (libcurl's code \(code.rawValue))"
    }
}

private let takeHead: curl_write_callback = { bytes, _, count, context in
    deliver(bytes, count, context) { transfer, line in transfer.take(head: line) }
}

private let takeBody: curl_write_callback = { bytes, _, count, context in
    deliver(bytes, count, context) { transfer, part in transfer.take(body: part) }
}

/// - Returns: How many bytes were taken; any other number than there are ends the transfer.
private func deliver(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
    _ take: (Transfer, UnsafeRawBufferPointer) -> Bool
) -> Int {
    guard let context else { return count + 1 }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    return take(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : count + 1
}
