import Foundation
import Testing

@testable import WebSockets

@Suite("HTTP request parser")
struct HTTPRequestParserTests {
    private func outcome(_ text: String, limits: HTTPRequestParser.Limits = .init()) -> HTTPRequestParser.Event {
        var parser = HTTPRequestParser(limits: limits, remoteAddress: "192.0.2.1")
        parser.append(text.utf8)
        return parser.next()
    }

    private func request(_ text: String) throws -> HTTPRequest {
        guard case .request(let request, _) = outcome(text) else {
            throw Unexpected(text: "\(outcome(text))")
        }
        return request
    }

    private func status(_ text: String, limits: HTTPRequestParser.Limits = .init()) -> Int? {
        guard case .failure(let response) = outcome(text, limits: limits) else { return nil }
        return response.status
    }

    private struct Unexpected: Error { var text: String }

    @Test func readsARequest() throws {
        let request = try request(
            "POST /a%20b/c+d?x=1&y=a+b%26&x=2&flag HTTP/1.1\r\nhost: h\r\nX-Thing:  two words \r\n"
                + "Content-Length: 3\r\n\r\nabcrest")
        #expect(request.method == "POST")
        #expect(request.path == "/a b/c+d")
        #expect(request.query == ["x": "1", "y": "a b&", "flag": ""])
        #expect(request.headers["HOST"] == "h")
        #expect(request.headers["x-thing"] == "two words")
        #expect(request.body == Data("abc".utf8))
        #expect(request.remoteAddress == "192.0.2.1")
    }

    @Test func cutAnywhereTheResultIsTheSame() throws {
        let text =
            "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n10\r\n0123456789abcdef\r\n"
            + "0\r\nTrailer: t\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n"
        for size in 1...text.utf8.count {
            var parser = HTTPRequestParser(limits: .init(), remoteAddress: "")
            var requests: [HTTPRequest] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                parser.append(rest.prefix(size))
                rest = rest.dropFirst(size)
                while case .request(let request, _) = parser.next() { requests.append(request) }
            }
            #expect(requests.map(\.path) == ["/p", "/next"])
            #expect(requests.first?.body == Data("abc0123456789abcdef".utf8))
        }
    }

    @Test(arguments: ["Content-Length", "Transfer-Encoding"])
    func aBodyInTinySegmentsIsNotCopiedForEach(_ field: String) throws {
        let size = 128 << 10
        let isChunked = field == "Transfer-Encoding"
        var parser = HTTPRequestParser(limits: .init(), remoteAddress: "")
        parser.append("POST / HTTP/1.1\r\nHost: h\r\n\(field): \(isChunked ? "chunked" : "\(size)")\r\n\r\n".utf8)
        if isChunked { parser.append("20000\r\n".utf8) }
        guard case .needsBody = parser.next() else { throw Unexpected(text: "no head") }
        // Where the bytes are: they move when the buffer grows, and each time when the buffer is copied.
        var place = parser.body.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        var moves = 0
        for number in 1...size {
            parser.append(CollectionOfOne(UInt8(truncatingIfNeeded: number)))
            let event = parser.next()
            if case .request(let request, _) = event, !isChunked, number == size {
                #expect(request.body.elementsEqual((1...size).map { UInt8(truncatingIfNeeded: $0) }))
                break
            }
            guard case .needsBody = event else { throw Unexpected(text: "\(event)") }
            let now = parser.body.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            if now != place { moves += 1 }
            place = now
        }
        #expect(moves < size / 100)
        guard isChunked else { return }
        parser.append("\r\n0\r\n\r\n".utf8)
        guard case .request(let request, _) = parser.next() else { throw Unexpected(text: "no request") }
        #expect(request.body.elementsEqual((1...size).map { UInt8(truncatingIfNeeded: $0) }))
    }

    @Test(arguments: [
        "Content-Length: -1", "Content-Length: +3", "Content-Length: abc", "Content-Length: ",
        "Content-Length: 3, 3", "Content-Length: 3\r\nContent-Length: 3", "Content-Length: 3\r\nContent-Length: 4",
        "Content-Length: 3\r\nTransfer-Encoding: chunked", "Content-Length: 0x3", "Bad Name: x", ": x",
        "Folded: a\r\n b", "Host: other", "X: a\u{1}b", "Bare: x\nY: z", "Content-Length : 3",
    ])
    func refusesAmbiguousHeaders(_ line: String) {
        #expect(status("POST / HTTP/1.1\r\nHost: h\r\n\(line)\r\n\r\nabc") == 400)
    }

    @Test(arguments: [
        ("GET  / HTTP/1.1", 400), ("GET /", 400), ("G(T / HTTP/1.1", 400), ("GET / HTTP/2.0", 505),
        ("PRI * HTTP/2.0", 505), ("GET /%zz HTTP/1.1", 400), ("GET /%00 HTTP/1.1", 400), ("GET /%ff HTTP/1.1", 400),
        ("GET /a/../b HTTP/1.1", 400), ("GET /a/%2e%2E/b HTTP/1.1", 400), ("GET a HTTP/1.1", 400),
        ("GET * HTTP/1.1", 400), ("GET / HTTQ/1.1", 400),
    ])
    func refusesBadRequestLines(_ line: String, _ expected: Int) {
        #expect(status("\(line)\r\nHost: h\r\n\r\n") == expected)
    }

    @Test func limitsAreKept() {
        let limits = HTTPRequestParser.Limits(headerBytes: 200, fields: 3, bodyBytes: 10)
        let long = String(repeating: "x", count: 300)
        #expect(status("GET / HTTP/1.1\r\nHost: \(long)", limits: limits) == 431)
        #expect(status("GET / HTTP/1.1\r\nHost: h\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", limits: limits) == 431)
        #expect(status("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n", limits: limits) == 413)
        #expect(
            status("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", limits: limits) == 413)
        let chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(status(chunked + "6\r\nabcdef\r\n5\r\n", limits: limits) == 413)
        #expect(status(chunked + "ffffffffffffffff\r\n", limits: limits) == 400)
        #expect(status(chunked + "-1\r\n", limits: limits) == 400)
        #expect(status(chunked + "1\r\nab\r\n", limits: limits) == 400)
    }

    @Test func versionAndConnectionDecideWhatFollows() {
        func closes(_ head: String) -> Bool? {
            guard case .request(_, let closes) = outcome(head + "\r\n\r\n") else { return nil }
            return closes
        }
        #expect(closes("GET / HTTP/1.1\r\nHost: h") == false)
        #expect(closes("GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close") == true)
        #expect(closes("GET / HTTP/1.0") == true)
        #expect(closes("GET / HTTP/1.1") == nil)
    }

    @Test func whatIsNotHTTPIsRefusedAtItsFirstByte() {
        #expect(status("\u{16}") == 400)
        #expect(status(" ") == 400)
        #expect(status("G") == nil)
        #expect(status("\r") == nil)
    }

    @Test func absoluteAndAsteriskForms() throws {
        #expect(try request("GET http://h/p?q=1 HTTP/1.1\r\nHost: h\r\n\r\n").path == "/p")
        #expect(try request("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n").path == "/")
        #expect(try request("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n").path == "*")
    }

    @Test func saysOnceThatTheClientWaitsToContinue() {
        var parser = HTTPRequestParser(limits: .init(), remoteAddress: "")
        parser.append("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n".utf8)
        guard case .awaitsContinue = parser.next(), case .needsBody = parser.next() else {
            Issue.record("100 Continue was not asked for, or twice")
            return
        }
        parser.append("ok".utf8)
        guard case .request = parser.next() else {
            Issue.record("the request is not complete")
            return
        }
    }
}
