import Foundation
import HTTPClient
import TestSupport
import Testing

/// What comes back, and how much of it is taken.
@Suite struct AnswerTests {
    private let client = HTTPClient()

    private func answer(
        to method: String = "GET", _ bytes: String, limit: Int = 1 << 20
    ) async throws -> HTTPClient.Answer {
        let server = try RawServer(answering: bytes)
        let request = HTTPClient.Request(method, try server.url("/a/b?c"), maximumAnswerBytes: limit)
        return try await within { [client] in try await client.send(request) }
    }

    private func failure(_ bytes: String, limit: Int = 1 << 20) async throws -> HTTPClientError {
        try #require(
            await #expect(throws: HTTPClientError.self) { try await answer(bytes, limit: limit) })
    }

    /// One body in the three ways that HTTP/1.1 has to end one.
    enum Framing: String, CaseIterable {
        case announced, chunked, lengthless

        func head(_ length: Int) -> String {
            switch self {
            case .announced: "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
            case .chunked: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            case .lengthless: "HTTP/1.1 200 OK\r\n\r\n"
            }
        }

        func body(_ text: String) -> String {
            guard self == .chunked else { return text }
            let half = text.count / 2
            let parts = [text.prefix(half), text.suffix(text.count - half)].filter { !$0.isEmpty }
            return parts.map { "\(String($0.count, radix: 16))\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
        }
    }

    @Test(arguments: Framing.allCases, [0, 1, 100, 70_000])
    func bodiesUpToTheLimit(framing: Framing, length: Int) async throws {
        let text = String(repeating: "x", count: length)
        let answer = try await answer(framing.head(length) + framing.body(text), limit: length)
        #expect(answer.status == 200)
        #expect(answer.body == Data(text.utf8))
    }

    @Test(arguments: Framing.allCases, [0, 1, 100, 70_000])
    func bodiesOverTheLimit(framing: Framing, limit: Int) async throws {
        let text = String(repeating: "x", count: limit + 1)
        let error = try await failure(framing.head(limit + 1) + framing.body(text), limit: limit)
        #expect(error == .answerTooLarge(limit: limit))
    }

    @Test func anAnnouncedLengthIsRefusedBeforeItComes() async throws {
        let ended = Report<Bool>()
        let server = try RawServer { connection in
            guard connection.head() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
            ended(connection.sawTheEnd())
        }
        let request = HTTPClient.Request("GET", try server.url(), maximumAnswerBytes: 10)
        try await within { [client] in
            _ = await #expect(throws: HTTPClientError.answerTooLarge(limit: 10)) { try await client.send(request) }
            let hasEnded = try await ended.next()
            #expect(hasEnded)
        }
    }

    @Test(arguments: Framing.allCases)
    func anEndlessBodyIsCutOff(framing: Framing) async throws {
        let ended = Report<Void>()
        let part = String(repeating: "x", count: 1000)
        let server = try RawServer { connection in
            guard connection.head() != nil else { return }
            connection.send(framing.head(9_000_000_000))
            while connection.send(framing == .chunked ? "3e8\r\n\(part)\r\n" : part) {}
            ended(())
        }
        let request = HTTPClient.Request("GET", try server.url(), maximumAnswerBytes: 100_000)
        try await within { [client] in
            _ = await #expect(throws: HTTPClientError.answerTooLarge(limit: 100_000)) { try await client.send(request) }
            try await ended.next()
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhell", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ])
    func whatBreaksOffIsNoAnswer(bytes: String) async throws {
        let error = try await failure(bytes)
        guard case .connectionLost = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "hello", "HTTP/1.1\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\n" + String(repeating: "X-Filler: \(String(repeating: "x", count: 80))\r\n", count: 2000)
            + "\r\n",
        "HTTP/1.1 200 OK\r\nX-Long: \(String(repeating: "x", count: 90_000))\r\n\r\n",
        String(
            repeating: "HTTP/1.1 103 Early Hints\r\nX-Filler: \(String(repeating: "x", count: 80))\r\n\r\n", count: 2000
        ),
    ])
    func whatIsNoHTTPIsNoAnswer(bytes: String) async throws {
        let error = try await failure(bytes)
        guard case .malformedAnswer = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func fieldsAreFoundInAnyCaseAndJoined() async throws {
        let answer = try await answer(
            "HTTP/1.1 201 Created\r\nLINK: <a>\r\nx-one:  padded \r\nLink: <b>\r\nX-Empty:\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(answer.status == 201)
        #expect(answer["Link"] == "<a>, <b>")
        #expect(answer["X-One"] == "padded")
        #expect(answer["x-empty"] == "")
        #expect(answer["Other"] == nil)
        #expect(answer.url.path == "/a/b")
    }

    @Test func onlyTheLastHeadCounts() async throws {
        let answer = try await answer(
            "HTTP/1.1 100 Continue\r\nX-Early: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nLocation: /x\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n"
                + "2\r\nok\r\n0\r\nX-Late: 1\r\nLocation: /y\r\n\r\n")
        #expect(answer.status == 200)
        #expect(answer.body == Data("ok".utf8))
        #expect(Set(answer.fields.keys) == ["transfer-encoding", "trailer"])
    }

    @Test func aHeadAlone() async throws {
        let answer = try await answer(to: "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n", limit: 10)
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(answer["Content-Length"] == "5000000000")
    }

    @Test func compressionIsNotAskedForAndNotUndone() async throws {
        let answer = try await answer("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello")
        #expect(answer.body == Data("hello".utf8))
    }

    @Test(arguments: [301, 302, 303, 307, 308], ["GET", "POST"])
    func noRedirectionIsFollowed(status: Int, method: String) async throws {
        let elsewhere = try RawServer.patient()
        let target = try elsewhere.url("/stolen?x=1")
        // Neither its end nor its body is waited for.
        let ended = Report<Bool>()
        let server = try RawServer { connection in
            guard connection.head() != nil else { return }
            connection.send("HTTP/1.1 \(status) Go\r\nLocation: \(target)\r\nContent-Length: 9000000\r\n\r\n<html>")
            ended(connection.sawTheEnd())
        }
        let request = HTTPClient.Request(method, try server.url(), maximumAnswerBytes: 10)
        let answer = try await within { [client] in try await client.send(request) }
        #expect(answer.status == status)
        #expect(answer.isRedirection)
        #expect(answer.redirectionTarget == target)
        #expect(answer.body.isEmpty)
        #expect(try await within { try await ended.next() })
        #expect(elsewhere.connections == 0)
    }

    @Test(arguments: [
        ("../d", "/d"), ("/d?e", "/d?e"), ("d", "/a/d"), ("https://other.example:8/d", "https://other.example:8/d"),
    ])
    func whereARedirectionLeads(location: String, target: String) async throws {
        let answer = try await answer("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        #expect(answer.redirectionTarget?.absoluteString.hasSuffix(target) == true)
    }

    @Test(arguments: [
        "302 Found\r\nContent-Length: 2", "300 Choices\r\nLocation: /x\r\nContent-Length: 2",
        "201 Created\r\nLocation: /x\r\nContent-Length: 2",
    ])
    func whatIsNoRedirectionHasABody(head: String) async throws {
        let answer = try await answer("HTTP/1.1 \(head)\r\n\r\nok")
        #expect(!answer.isRedirection)
        #expect(answer.redirectionTarget == nil)
        #expect(answer.body == Data("ok".utf8))
    }

    @Test(arguments: [
        (401, "Basic realm=\"x\"", true), (401, "basic", true), (401, "Bearer realm=\"x\", Digest nonce=\"y\"", true),
        (401, "NTLM", true), (401, "Bearer realm=\"x\"", false), (401, "Bearer realm=\"a, Basic b\"", false),
        (403, "Basic realm=\"x\"", false), (200, "Basic", false), (401, "", false),
    ])
    func whoAsksForAPassword(status: Int, challenge: String, asks: Bool) async throws {
        let answer = try await answer(
            "HTTP/1.1 \(status) Status\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 2\r\n\r\nok")
        #expect(answer.asksForPassword == asks)
        #expect(answer.status == status)
        #expect(answer.body == Data("ok".utf8))
    }

    @Test func cookiesAreNotKept() async throws {
        let heads = Report<String>()
        let server = try RawServer { connection in
            while let head = connection.head() {
                heads(head)
                connection.send("HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let request = HTTPClient.Request("GET", try server.url())
        try await within { [client] in
            for _ in 0..<2 {
                let answer = try await client.send(request)
                #expect(answer["Set-Cookie"] == "a=b; Path=/")
                let head = try await heads.next()
                #expect(!head.lowercased().contains("cookie"))
            }
        }
        #expect(server.connections == 1)
    }
}
