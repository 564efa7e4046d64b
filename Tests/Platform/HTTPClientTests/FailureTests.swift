import Foundation
import HTTPClient
import TestSupport
import Testing
import WebSockets

/// Servers that are not there, not in time or not who they should be.
@Suite struct FailureTests {
    @Test func refusedConnection() async throws {
        let deaf = DeafPort()
        let request = HTTPClient.Request("GET", try #require(URL(string: "http://127.0.0.1:\(deaf.number)/secret")))
        let error = try #require(
            await #expect(throws: HTTPClientError.self) { try await HTTPClient().send(request) })
        #expect(error == .cannotConnect(host: "127.0.0.1:\(deaf.number)"))
        #expect(
            error.description
                == "no answer from 127.0.0.1:\(deaf.number): nothing accepts connections there; check the "
                + "address, the server and the network, then try again")
    }

    @Test func unknownHost() async throws {
        let request = HTTPClient.Request("GET", try #require(URL(string: "http://no-such-host.invalid/")))
        await #expect(throws: HTTPClientError.hostNotFound(host: "no-such-host.invalid:80")) {
            try await HTTPClient().send(request)
        }
    }

    private func expectTimeOut(of server: RawServer, _ ended: Report<Bool>) async throws {
        let request = HTTPClient.Request("GET", try server.url(), timeout: .milliseconds(200))
        let began = ContinuousClock.now
        try await within {
            _ = await #expect(throws: HTTPClientError.timedOut(host: "127.0.0.1:\(server.port)")) {
                try await HTTPClient().send(request)
            }
            let hasEnded = try await ended.next()
            #expect(hasEnded, "the server must see the end")
        }
        #expect(began.duration(to: .now) >= .milliseconds(200))
    }

    @Test func aServerThatNeverAnswers() async throws {
        let ended = Report<Bool>()
        try await expectTimeOut(of: .silent(Report<Void>(), ended), ended)
    }

    /// Each byte is a sign of life; the limit is one for all.
    @Test func aHeadThatNeverEnds() async throws {
        let ended = Report<Bool>()
        let server = try RawServer { connection in
            guard connection.head() != nil, connection.send("HTTP/1.1 200 OK\r\nX-Slow: ") else { return }
            while connection.send("x") { usleep(5000) }
            ended(true)
        }
        try await expectTimeOut(of: server, ended)
    }

    @Test func aBodyThatNeverEnds() async throws {
        let ended = Report<Bool>()
        let server = try RawServer { connection in
            guard connection.head() != nil, connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell") else {
                return
            }
            ended(connection.sawTheEnd())
        }
        try await expectTimeOut(of: server, ended)
    }

    /// Waiting for a free connection is a part of the time.
    @Test func aRequestThatDoesNotGetAConnection() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.maximumConnectionsPerHost = 1
        let client = HTTPClient(configuration)
        let (asked, ended) = (Report<Void>(), Report<Bool>())
        let server = try RawServer.silent(asked, ended)
        let url = try server.url()
        let first = Task { try await client.send(.init("GET", url)) }
        try await within { try await asked.next() }
        try await within {
            _ = await #expect(throws: HTTPClientError.timedOut(host: "127.0.0.1:\(server.port)")) {
                try await client.send(.init("GET", url, timeout: .milliseconds(100)))
            }
        }
        let third = Task { try await client.send(.init("GET", url)) }
        third.cancel()
        await #expect(throws: HTTPClientError.cancelled) { try await third.value }
        #expect(server.connections == 1)
        first.cancel()
        #expect(try await within { try await ended.next() })
    }

    @Test func certificatesAreVerified() async throws {
        let certificate = try await TestCertificate()
        let server = try await Hello.start(certificate)
        var configuration = HTTPClient.Configuration()
        configuration.caFile = certificate.certificate
        let trusting = HTTPClient(configuration)
        for host in ["localhost", "127.0.0.1"] {
            let request = HTTPClient.Request("GET", try #require(URL(string: "https://\(host):\(server.port)/")))
            let body = try await within { try await trusting.send(request) }.body
            #expect(body == Data("hello".utf8))
            let reason = "its certificate is not trusted by this machine"
            await #expect(throws: HTTPClientError.notSecure(host: "\(host):\(server.port)", reason: reason)) {
                try await HTTPClient().send(request)
            }
        }
        await server.stop()
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func certificatesOfOthersAreRefused(host: String) async throws {
        let certificate = try await TestCertificate(names: "DNS:other.example,IP:192.0.2.1")
        let server = try await Hello.start(certificate)
        var configuration = HTTPClient.Configuration()
        configuration.caFile = certificate.certificate
        let trusting = HTTPClient(configuration)
        let request = HTTPClient.Request("GET", try #require(URL(string: "https://\(host):\(server.port)/")))
        let reason = "its certificate is not for this host"
        await #expect(throws: HTTPClientError.notSecure(host: "\(host):\(server.port)", reason: reason)) {
            try await trusting.send(request)
        }
        await server.stop()
    }

    @Test func certificatesOutOfDateAreRefused() async throws {
        let certificate = try await TestCertificate(isExpired: true)
        let server = try await Hello.start(certificate)
        var configuration = HTTPClient.Configuration()
        configuration.caFile = certificate.certificate
        let trusting = HTTPClient(configuration)
        let request = HTTPClient.Request("GET", try #require(URL(string: "https://localhost:\(server.port)/")))
        let reason = "its certificate is not valid today"
        await #expect(throws: HTTPClientError.notSecure(host: "localhost:\(server.port)", reason: reason)) {
            try await trusting.send(request)
        }
        await server.stop()
    }

    @Test func authoritiesThatCannotBeRead() async throws {
        let server = try RawServer.patient()
        var configuration = HTTPClient.Configuration()
        configuration.caFile = "/nonexistent/ca.pem"
        let client = HTTPClient(configuration)
        let request = HTTPClient.Request("GET", try server.url(scheme: "https"))
        let error = await #expect(throws: HTTPClientError.self) { try await client.send(request) }
        guard case .notSecure(_, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason == "the file of trusted authorities cannot be read")
    }

    @Test func aServerWithoutTLS() async throws {
        let server = try RawServer { connection in
            _ = connection.read(1)
            connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        let request = HTTPClient.Request("GET", try server.url(scheme: "https"))
        let reason = "no secure connection could be agreed on"
        await #expect(throws: HTTPClientError.notSecure(host: "127.0.0.1:\(server.port)", reason: reason)) {
            try await HTTPClient().send(request)
        }
    }
}

/// Says hello over TLS.
struct Hello: HTTPService {
    static func start(_ certificate: TestCertificate) async throws -> HTTPServer {
        var configuration = HTTPServer.Configuration()
        configuration.tls = TLSFiles(certificate: certificate.certificate, key: certificate.key)
        return try await HTTPServer.start(configuration, service: Hello())
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse { HTTPResponse(status: 200, body: Data("hello".utf8)) }
}
