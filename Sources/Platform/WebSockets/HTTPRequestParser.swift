import Foundation

/// Turns the bytes of one connection into requests (RFC 9112), strictly.
///
/// A value without I/O: bytes go in with ``append(_:)``, ``next()`` says what they amount to. It never allocates by a
/// length that it has not checked, and what two readers could understand differently (a second `Content-Length`,
/// `Content-Length` beside `Transfer-Encoding`, folded lines, a bare line feed) is refused, because behind a proxy that
/// is how requests are smuggled. After a failure the connection is of no more use.
struct HTTPRequestParser {
    /// What a connection accepts.
    struct Limits {
        /// The request line and all header lines together, in bytes.
        var headerBytes = 16 << 10
        /// Header lines.
        var fields = 100
        /// The body, in bytes.
        var bodyBytes = 1 << 20
    }

    /// What the bytes amount to.
    enum Event {
        /// The next request has not begun.
        case idle
        /// Part of a head is there.
        case needsHead
        /// The head is there and the body is not.
        case needsBody
        /// As ``needsBody``, and the client waits for `100 Continue` (told once).
        case awaitsContinue
        /// A whole request. `closes` when the connection ends with it.
        case request(HTTPRequest, closes: Bool)
        /// The request must be refused with this response and the connection closed.
        case failure(HTTPResponse)
    }

    private struct Head {
        var request: HTTPRequest
        var closes: Bool
        var expectsContinue: Bool
    }

    private enum State {
        case head
        case body(Head, remaining: Int)
        case chunkSize(Head)
        case chunk(Head, remaining: Int)
        case chunkEnd(Head)
        case trailer(Head, bytes: Int)
        case failed(HTTPResponse)
    }

    private struct Refusal: Error { var response: HTTPResponse }

    private let limits: Limits
    private let remoteAddress: String
    private var input: [UInt8] = []
    private var position = 0
    private var scanned = 0
    private var state = State.head
    /// The body so far. Not in ``State``: bound out of there it would have two owners, and each append would copy it.
    private(set) var body = Data()

    /// A parser at the start of a connection.
    init(limits: Limits, remoteAddress: String) {
        self.limits = limits
        self.remoteAddress = remoteAddress
    }

    /// Bytes that came and are not yet part of a request.
    var bufferedBytes: Int { input.count - position }

    /// Takes in what was received.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        if position == input.count {
            input.removeAll(keepingCapacity: true)
            (position, scanned) = (0, 0)
        }
        input.append(contentsOf: bytes)
    }

    /// The bytes behind the last request: what a client sent after an upgrade.
    mutating func takeRest() -> [UInt8] {
        defer {
            input = []
            (position, scanned) = (0, 0)
        }
        return Array(input[position...])
    }

    /// What the bytes so far amount to. Call it again after ``Event/request(_:closes:)`` and
    /// ``Event/awaitsContinue``.
    mutating func next() -> Event {
        do {
            while true {
                if let event = try step() {
                    compact()
                    return event
                }
            }
        } catch {
            state = .failed(error.response)
            return .failure(error.response)
        }
    }

    /// One step of the machine; nil when it moved on and may move again.
    private mutating func step() throws(Refusal) -> Event? {
        switch state {
        case .head: return try readHead()
        case .body(var head, let remaining):
            let left = remaining - takeBody(atMost: remaining)
            guard left > 0 else { return finish(head) }
            return wait(&head) { .body($0, remaining: left) }
        case .chunkSize(var head):
            guard let line = try readLine(limit: 256) else { return wait(&head) { .chunkSize($0) } }
            let size = try Self.chunkSize(line)
            guard size <= limits.bodyBytes - body.count else { throw bodyTooLarge() }
            state = size == 0 ? .trailer(head, bytes: 0) : .chunk(head, remaining: size)
        case .chunk(var head, let remaining):
            let left = remaining - takeBody(atMost: remaining)
            if left > 0 { return wait(&head) { .chunk($0, remaining: left) } }
            state = .chunkEnd(head)
        case .chunkEnd(var head):
            guard let line = try readLine(limit: 2) else { return wait(&head) { .chunkEnd($0) } }
            guard line.isEmpty else { throw Self.malformed("a chunk is longer than its size says") }
            state = .chunkSize(head)
        case .trailer(var head, let bytes):
            guard let line = try readLine(limit: limits.headerBytes - bytes) else {
                return wait(&head) { .trailer($0, bytes: bytes) }
            }
            if line.isEmpty { return finish(head) }
            state = .trailer(head, bytes: bytes + line.count + 2)
        case .failed(let response): return .failure(response)
        }
        return nil
    }

    private mutating func wait(_ head: inout Head, in next: (Head) -> State) -> Event {
        defer { state = next(head) }
        guard head.expectsContinue else { return .needsBody }
        head.expectsContinue = false
        return .awaitsContinue
    }

    private mutating func finish(_ head: Head) -> Event {
        var request = head.request
        request.body = body
        body = Data()
        state = .head
        return .request(request, closes: head.closes)
    }

    private mutating func readHead() throws(Refusal) -> Event? {
        // A robust server ignores an empty line before the request line (RFC 9112 section 2.2).
        while position + 1 < input.count, input[position] == 13, input[position + 1] == 10 { position += 2 }
        scanned = max(scanned, position)
        guard let end = endOfHead() else {
            // A client that speaks TLS or worse to this port need not wait for the timeout.
            if position < input.count, input[position] != 13, !Self.isTokenByte(input[position]) {
                throw Self.malformed("this is not HTTP")
            }
            guard input.count - position <= limits.headerBytes else { throw headTooLarge() }
            return position == input.count ? .idle : .needsHead
        }
        guard end - position <= limits.headerBytes else { throw headTooLarge() }
        let lines = try Self.lines(input[position..<end])
        position = end
        scanned = end
        var head = try Self.requestLine(lines[0], remoteAddress: remoteAddress)
        guard lines.count - 1 <= limits.fields else { throw headTooLarge() }
        for line in lines.dropFirst() {
            let (name, value) = try Self.field(line)
            head.request.headers.add(name, value)
        }
        return try begin(head)
    }

    /// Decides from the head what follows it.
    private mutating func begin(_ parsed: Head) throws(Refusal) -> Event? {
        var head = parsed
        let headers = head.request.headers
        let hosts = headers.values("Host")
        let isVersion10 = head.closes
        guard hosts.count == 1 || (isVersion10 && hosts.isEmpty) else {
            throw Self.malformed("exactly one Host field is needed")
        }
        head.closes = isVersion10 || headers.contains("close", in: "Connection")
        head.expectsContinue = headers["Expect"]?.lowercased() == "100-continue"
        let codings = headers.values("Transfer-Encoding")
        let lengths = headers.values("Content-Length")
        if !codings.isEmpty {
            guard lengths.isEmpty, !isVersion10 else {
                throw Self.malformed("Transfer-Encoding stands beside Content-Length or in HTTP/1.0")
            }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw Refusal(
                    response: .failure(501, code: "notImplemented", message: "only chunked coding is understood"))
            }
            state = .chunkSize(head)
            return nil
        }
        guard let length = lengths.first else { return finish(head) }
        guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw Self.malformed("Content-Length is not one number")
        }
        guard let size = Int(length), size <= limits.bodyBytes else { throw bodyTooLarge() }
        state = .body(head, remaining: size)
        return nil
    }

    // MARK: Bytes

    /// The index behind the empty line that ends the head. Looks at each byte once, however the head is cut.
    private mutating func endOfHead() -> Int? {
        var index = scanned
        while index + 3 < input.count {
            if input[index] == 13, input[index + 1] == 10, input[index + 2] == 13, input[index + 3] == 10 {
                return index + 4
            }
            index += 1
        }
        scanned = index
        return nil
    }

    /// A line without its CRLF, or nil when it is not all there.
    private mutating func readLine(limit: Int) throws(Refusal) -> ArraySlice<UInt8>? {
        guard let feed = input[position...].firstIndex(of: 10) else {
            guard input.count - position <= limit else { throw headTooLarge() }
            return nil
        }
        guard feed - position <= limit, feed > position, input[feed - 1] == 13 else {
            throw Self.malformed("a line of the chunked body is malformed")
        }
        defer { position = feed + 1 }
        return input[position..<(feed - 1)]
    }

    private mutating func takeBody(atMost count: Int) -> Int {
        let taken = min(count, input.count - position)
        body.append(contentsOf: input[position..<(position + taken)])
        position += taken
        return taken
    }

    /// Drops what has been used, so that a connection kept alive for long does not grow.
    private mutating func compact() {
        guard position > 4096 || position == input.count else { return }
        input.removeFirst(position)
        scanned = max(0, scanned - position)
        position = 0
    }

    // MARK: Grammar

    private static func lines(_ head: ArraySlice<UInt8>) throws(Refusal) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = head.dropLast(2)
        while let feed = rest.firstIndex(of: 10) {
            guard feed > rest.startIndex, rest[feed - 1] == 13 else { throw malformed("a line ends without CRLF") }
            lines.append(rest[rest.startIndex..<(feed - 1)])
            rest = rest[(feed + 1)...]
        }
        return lines
    }

    private static func requestLine(_ line: ArraySlice<UInt8>, remoteAddress: String) throws(Refusal) -> Head {
        let parts = line.split(separator: 32, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isTokenByte), !parts[1].isEmpty,
            parts[1].allSatisfy({ $0 > 32 && $0 < 127 })
        else { throw malformed("the request line is malformed") }
        guard parts[1].count <= 8192 else {
            throw Refusal(response: .failure(414, code: "uriTooLong", message: "the request's address is too long"))
        }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            guard version.hasPrefix("HTTP/") else { throw malformed("the request line is malformed") }
            throw Refusal(response: .failure(505, code: "httpVersion", message: "this server speaks HTTP/1.1"))
        }
        let method = String(decoding: parts[0], as: UTF8.self)
        guard let target = RequestTarget(String(decoding: parts[1], as: UTF8.self), method: method) else {
            throw malformed("the request's address is malformed")
        }
        let request = HTTPRequest(
            method: method, path: target.path, query: target.query, remoteAddress: remoteAddress)
        return Head(request: request, closes: version == "HTTP/1.0", expectsContinue: false)
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(Refusal) -> (String, String) {
        guard let colon = line.firstIndex(of: 58), colon > line.startIndex, line[..<colon].allSatisfy(isTokenByte),
            line[colon...].allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 })
        else { throw malformed("a header line is malformed") }
        let value = Substring(decoding: line[(colon + 1)...], as: UTF8.self).trimmed()
        return (String(decoding: line[..<colon], as: UTF8.self), String(value))
    }

    private static func chunkSize(_ line: ArraySlice<UInt8>) throws(Refusal) -> Int {
        // What follows a semicolon are extensions, which a recipient ignores.
        let digits = line.prefix { $0 != 59 && $0 != 32 && $0 != 9 }
        let isHexadecimal = digits.allSatisfy {
            (48...57).contains($0) || (65...70).contains($0) || (97...102).contains($0)
        }
        guard (1...15).contains(digits.count), isHexadecimal,
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed("a chunk's size is not a number") }
        return size
    }

    /// RFC 9110 section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        case 33, 35, 36, 37, 38, 39, 42, 43, 45, 46, 94, 95, 96, 124, 126: true
        default: false
        }
    }

    private static func malformed(_ what: String) -> Refusal {
        Refusal(response: .failure(400, code: "badRequest", message: what))
    }

    private func headTooLarge() -> Refusal {
        Refusal(
            response: .failure(
                431, code: "headersTooLarge",
                message: "the header is over \(limits.headerBytes) bytes or \(limits.fields) lines"))
    }

    private func bodyTooLarge() -> Refusal {
        Refusal(
            response: .failure(
                413, code: "bodyTooLarge", message: "the body is over \(limits.bodyBytes) bytes", field: "body"))
    }
}
