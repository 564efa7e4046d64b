import Basics
import Foundation
import HTTPClient
import TestSupport
import Testing

/// Many at once, cancellation, and the end.
@Suite struct LifetimeTests {
    @Test func connectionsAreUsedAgain() async throws {
        let server = try RawServer.patient()
        try await send("GET", to: server, times: 20)
        #expect(server.connections == 1)
    }

    /// A connection that the server closes while it is kept costs nobody an error.
    @Test func connectionsThatAreGoneAreMadeAnew() async throws {
        let server = try RawServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        try await send("POST", to: server, times: 20)
        #expect(server.connections == 20)
    }

    /// Sends a request again and again with one client.
    private func send(_ method: String, to server: RawServer, times: Int) async throws {
        let client = HTTPClient()
        let request = HTTPClient.Request(method, try server.url())
        try await within {
            for _ in 0..<times {
                let body = try await client.send(request).body
                #expect(body == Data("hello".utf8))
            }
        }
    }

    @Test func manyAtOnce() async throws {
        let server = try RawServer { connection in
            while let head = connection.head() {
                let path = head.split(separator: " ")[1]
                guard connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)") else {
                    return
                }
            }
        }
        let client = HTTPClient()
        try await within(.seconds(60), "300 answers") {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        let answer = try await client.send(.init("GET", try server.url("/\(number)")))
                        #expect(answer.body == Data("/\(number)".utf8))
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(server.connections <= 8)
    }

    @Test func cancelledBefore() async throws {
        let server = try RawServer.patient()
        let request = HTTPClient.Request("GET", try server.url())
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await HTTPClient().send(request)
        }
        await #expect(throws: HTTPClientError.cancelled) { try await call.value }
        #expect(server.connections == 0)
    }

    @Test func cancelledMeanwhile() async throws {
        let (asked, ended) = (Report<Void>(), Report<Bool>())
        let server = try RawServer.silent(asked, ended)
        let client = HTTPClient()
        let request = HTTPClient.Request("GET", try server.url())
        let call = Task { try await client.send(request) }
        try await within {
            try await asked.next()
            call.cancel()
            _ = await #expect(throws: HTTPClientError.cancelled) { try await call.value }
            let hasEnded = try await ended.next()
            #expect(hasEnded, "the server must see the end")
        }
    }

    @Test func cancelledInsideABody() async throws {
        let (asked, ended) = (Report<Void>(), Report<Bool>())
        let server = try RawServer { connection in
            guard connection.head() != nil, connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell") else {
                return
            }
            asked(())
            ended(connection.sawTheEnd())
        }
        let client = HTTPClient()
        let request = HTTPClient.Request("GET", try server.url())
        let call = Task { try await client.send(request) }
        try await within {
            try await asked.next()
            call.cancel()
            _ = await #expect(throws: HTTPClientError.cancelled) { try await call.value }
            let hasEnded = try await ended.next()
            #expect(hasEnded, "the server must see the end")
        }
    }

    @Test func cancelledAfterwards() async throws {
        let server = try RawServer.patient()
        let client = HTTPClient()
        let request = HTTPClient.Request("GET", try server.url())
        let call = Task { try await client.send(request) }
        _ = try await within { try await call.value }
        call.cancel()
        let status = try await within { try await client.send(request) }.status
        #expect(status == 200)
        #expect(server.connections == 1)
    }

    /// One that is cancelled takes nobody with it.
    @Test func theOthersGoOn() async throws {
        let (asked, ended) = (Report<Void>(), Report<Bool>())
        let silent = try RawServer.silent(asked, ended)
        let patient = try RawServer.patient()
        let client = HTTPClient()
        let silentRequest = HTTPClient.Request("GET", try silent.url())
        let request = HTTPClient.Request("GET", try patient.url())
        try await within(.seconds(60)) {
            for _ in 0..<20 {
                let call = Task { try await client.send(silentRequest) }
                let other = Task { try await client.send(request) }
                try await asked.next()
                call.cancel()
                let status = try await other.value.status
                #expect(status == 200)
                _ = await #expect(throws: HTTPClientError.cancelled) { try await call.value }
                let hasEnded = try await ended.next()
                #expect(hasEnded)
            }
        }
    }

    /// What stopped the program when `URLSession` carried it: a cancellation that meets the natural end.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 5\r\n\r\nhello",
    ])
    func cancellationsMeetEnds(answer: String) async throws {
        let server = try RawServer { connection in
            while connection.head() != nil, connection.send(answer) {}
        }
        let client = HTTPClient()
        let request = HTTPClient.Request("GET", try server.url())
        try await within(.seconds(120), "the end of 2000 requests") {
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<4 {
                    group.addTask {
                        for step in 0..<500 {
                            let call = Task { try await client.send(request) }
                            let cancelling = Task {
                                try? await Task.sleep(for: .microseconds((step * 7 + lane * 13) % 900))
                                call.cancel()
                            }
                            if case .failure(let error) = await call.result {
                                #expect(error as? HTTPClientError == .cancelled)
                            }
                            await cancelling.value
                        }
                    }
                }
            }
        }
    }

    @Test func closingEndsAll() async throws {
        let (asked, ended) = (Report<Void>(), Report<Bool>())
        let server = try RawServer.silent(asked, ended)
        let client = HTTPClient()
        let request = HTTPClient.Request("GET", try server.url())
        // Eight on connections, the others waiting for one.
        let calls = (0..<20).map { _ in Task { try await client.send(request) } }
        try await within {
            for _ in 0..<8 { try await asked.next() }
            client.close()
            client.close()
            for call in calls { _ = await #expect(throws: HTTPClientError.closed) { try await call.value } }
            for _ in 0..<8 {
                let hasEnded = try await ended.next()
                #expect(hasEnded, "the server must see the end")
            }
            _ = await #expect(throws: HTTPClientError.closed) { try await client.send(request) }
        }
    }

    @Test func aClientThatNeverSentMayBeClosed() async throws {
        let client = HTTPClient()
        client.close()
        let request = HTTPClient.Request("GET", try #require(URL(string: "http://127.0.0.1:1/")))
        await #expect(throws: HTTPClientError.closed) { try await client.send(request) }
    }

    @Test func closingMeetsEverything() async throws {
        let server = try RawServer.patient()
        let request = HTTPClient.Request("GET", try server.url())
        try await within(.seconds(120), "the end of 50 clients") {
            for round in 0..<50 {
                let client = HTTPClient()
                let calls = (0..<20).map { _ in Task { try await client.send(request) } }
                try await Task.sleep(for: .microseconds(round * 50))
                for call in calls.prefix(5) { call.cancel() }
                client.close()
                for call in calls {
                    guard case .failure(let error) = await call.result else { continue }
                    #expect([.closed, .cancelled].contains(error as? HTTPClientError))
                }
            }
        }
    }

    /// With the client goes its thread, and with that the connection that was kept.
    @Test func connectionsEndWithTheClient() async throws {
        let ended = Report<Bool>()
        let server = try RawServer { connection in
            guard connection.head() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            ended(connection.sawTheEnd())
        }
        let request = HTTPClient.Request("GET", try server.url())
        try await within {
            _ = try await HTTPClient().send(request)
            let hasEnded = try await ended.next()
            #expect(hasEnded)
        }
    }
}
