import Basics
import Foundation
import HTTPClient
import TestSupport
import Testing

/// What goes out.
@Suite struct RequestTests {
    private let client = HTTPClient()

    /// The bytes that a server gets of a request.
    private func sent(_ make: (URL) -> HTTPClient.Request, path: String = "/p?q=1") async throws -> String {
        let heads = Report<String>()
        let server = try RawServer { connection in
            guard let head = connection.head() else { return }
            let fields = head.lowercased().split(separator: "\r\n")
            let length = fields.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
            heads(head + String(decoding: connection.read(length), as: UTF8.self))
            connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        let request = make(try server.url(path))
        let answer = try await within { [client] in try await client.send(request) }
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        let text = try await within { try await heads.next() }
        return text.replacing("127.0.0.1:\(server.port)", with: "HOST")
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"])
    func methods(method: String) async throws {
        #expect(
            try await sent { HTTPClient.Request(method, $0) }
                == "\(method) /p?q=1 HTTP/1.1\r\nHost: HOST\r\nAccept: */*\r\nUser-Agent: Porchlight\r\n\r\n")
        let withBody = try await sent { url in
            var request = HTTPClient.Request(method, url)
            request.headers = ["Content-Type": "text/plain", "Accept": "text/plain"]
            request.body = Data("two\r\nlines".utf8)
            return request
        }
        #expect(
            withBody
                == "\(method) /p?q=1 HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Porchlight\r\nAccept: text/plain\r\n"
                + "Content-Type: text/plain\r\nContent-Length: 10\r\n\r\ntwo\r\nlines")
    }

    @Test func anEmptyBodyIsSentWithItsLength() async throws {
        let text = try await sent { url in
            var request = HTTPClient.Request("POST", url)
            request.body = Data()
            return request
        }
        #expect(text.hasSuffix("Content-Length: 0\r\n\r\n"))
        #expect(!text.contains("Content-Type"))
    }

    @Test func headersGoOutAsTheyAre() async throws {
        let text = try await sent { url in
            var request = HTTPClient.Request("GET", url)
            request.headers = ["X-Empty": "", "X-Text": "a: \"b\"; ü\tz", "User-Agent": "Test"]
            return request
        }
        #expect(text.contains("\r\nX-Empty:\r\n"))
        #expect(text.contains("\r\nX-Text: a: \"b\"; ü\tz\r\n"))
        #expect(text.contains("\r\nUser-Agent: Test\r\n"))
        #expect(!text.contains("Porchlight"))
    }

    @Test(arguments: ["/a/../b/./c", "/a%2Fb%20c", "/a;b,c", "//a"])
    func pathsGoOutAsTheyAre(path: String) async throws {
        let text = try await sent({ HTTPClient.Request("GET", $0) }, path: path)
        #expect(text.hasPrefix("GET \(path) HTTP/1.1\r\n"))
    }

    /// More than fits in any socket's buffer, without asking first.
    @Test func aLongBody() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 9)) })
        let isSame = Report<Bool>()
        let server = try RawServer { connection in
            guard let head = connection.head() else { return }
            isSame(connection.read(body.count) == Array(body) && !head.contains("Expect"))
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        var request = HTTPClient.Request("PUT", try server.url())
        request.body = body
        _ = try await within { [client, request] in try await client.send(request) }
        #expect(try await within { try await isSame.next() })
    }

    @Test(arguments: [
        "X\r\nHost: b", "a\nb", "a\rb", "a\0b", "a\u{7f}b",
    ])
    func valuesOfMoreThanOneLineAreRefused(value: String) async throws {
        let server = try RawServer.patient()
        var request = HTTPClient.Request("GET", try server.url())
        request.headers["Authorization"] = value
        let reason = "holds a line break or another control character"
        await #expect(throws: HTTPClientError.invalidHeader(name: "Authorization", reason: reason)) {
            try await client.send(request)
        }
        #expect(server.connections == 0)
    }

    @Test(arguments: [
        "", "a b", "a:b", "a\r\nb", "ä", "Host", "connection", "Content-Length", "EXPECT", "Transfer-Encoding",
    ])
    func namesThatCannotBeSentAreRefused(name: String) async throws {
        var request = HTTPClient.Request("GET", try #require(URL(string: "http://127.0.0.1:1/")))
        request.headers[name] = "x"
        let error = await #expect(throws: HTTPClientError.self) { try await client.send(request) }
        guard case .invalidHeader = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["", "GET /x HTTP/1.1\r\nHost: b\r\n\r\nGET", "G T", "CONNECT", "connect"])
    func methodsThatCannotBeSentAreRefused(method: String) async throws {
        let request = HTTPClient.Request(method, try #require(URL(string: "http://127.0.0.1:1/")))
        await #expect(throws: HTTPClientError.invalidMethod) { try await client.send(request) }
    }

    @Test(arguments: [
        "ftp://127.0.0.1/", "file:///etc/passwd", "localhost:80", "/here", "http://", "http:///x",
        "gopher://127.0.0.1/",
        "http://me@127.0.0.1/", "http://me:canary@127.0.0.1/", "ws://127.0.0.1/", "http:127.0.0.1",
    ])
    func addressesThatCannotBeAskedAreRefused(address: String) async throws {
        let request = HTTPClient.Request("GET", try #require(URL(string: address)))
        let error = await #expect(throws: HTTPClientError.self) { try await client.send(request) }
        guard case .invalidURL = error else {
            Issue.record("\(address): \(String(describing: error))")
            return
        }
        #expect(!String(reflecting: error).contains("canary"))
    }

    @Test(arguments: [
        ("http://LocalHost:1/", "localhost:1"), ("http://127.0.0.1:1?x", "127.0.0.1:1"), ("http://[::1]:1/", "[::1]:1"),
        ("HTTP://127.0.0.1:1#fragment", "127.0.0.1:1"),
    ])
    func errorsNameHostAndPort(address: String, host: String) async throws {
        let request = HTTPClient.Request("GET", try #require(URL(string: address)))
        await #expect(throws: HTTPClientError.cannotConnect(host: host)) { try await client.send(request) }
    }

    @Test func printingShowsNoSecret() throws {
        var request = HTTPClient.Request("POST", try #require(URL(string: "http://canary.example/canary")))
        request.headers["Authorization"] = "Bearer canary"
        request.body = Data("canary".utf8)
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!("\(request)" + String(reflecting: request) + dumped).contains("canary"))
    }
}
