import CloudClient
import Foundation
import Testing
import WebSockets
import Wire

/// The WHEP calls.
@Suite struct LiveServiceTests {
    private let offer = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\n"
    private let answer = "v=0\r\no=- 2 1 IN IP4 127.0.0.1\r\n"

    private func response(_ headers: HTTPFields = [:]) -> HTTPResponse {
        var fields: HTTPFields = ["Content-Type": "application/sdp", "Location": "/v1/live/unguessable"]
        for field in headers.fields { fields.set(field.name, field.value) }
        return .text(201, answer, headers: fields)
    }

    @Test func exchangesDescriptions() async throws {
        let response = response(["ETag": "\"1\"", "Link": "<stun:stun.example>; rel=\"ice-server\""])
        try await withCloud({ _ in response }) { cloud in
            let live = cloud.connection().liveService
            let result = try await live.offer(spaceId: "home", deviceId: Sample.deviceId, sdp: offer)
            #expect(result.sdp == answer)
            #expect(result.session == URL(string: "\(cloud.url)/v1/live/unguessable"))
            #expect(result.eTag == "\"1\"")
            #expect(result.iceServers == [ICEServer(urls: ["stun:stun.example"])])
            let request = try #require(cloud.received.first)
            #expect(request.method == "POST")
            #expect(request.path == "/v1/spaces/home/devices/\(Sample.deviceId)/live")
            #expect(request.headers["Content-Type"] == "application/sdp")
            #expect(request.headers["Accept"] == "application/sdp")
            #expect(request.headers["Authorization"] == "Bearer token-canary")
            #expect(request.body == Data(offer.utf8))
        }
    }

    @Test func readsEveryServerThatTheCloudNames() async throws {
        var response = response()
        response.headers.add("Link", "<stun:stun.example>; rel=\"ice-server\"")
        response.headers.add("Link", "<turn:turn.example>; rel=\"ice-server\"; username=\"me\"; credential=\"secret\"")
        try await withCloud({ [response] _ in response }) { cloud in
            let live = cloud.connection().liveService
            let answer = try await live.offer(spaceId: "home", deviceId: "d", sdp: offer)
            #expect(
                answer.iceServers == [
                    ICEServer(urls: ["stun:stun.example"]),
                    ICEServer(urls: ["turn:turn.example"], username: "me", credential: Secret("secret")),
                ])
        }
    }

    @Test(arguments: ["unguessable", "./unguessable", "//127.0.0.1:PORT/v1/unguessable", "http://127.0.0.1:PORT/x"])
    func sessionsOnTheSameOrigin(location: String) async throws {
        try await withCloud({ request in
            let port = request.headers["Host"]?.split(separator: ":").last.map(String.init) ?? ""
            return response(["Location": location.replacing("PORT", with: port)])
        }) { cloud in
            let result = try await cloud.connection().liveService.offer(spaceId: "home", deviceId: "d", sdp: offer)
            #expect(result.session.host == "127.0.0.1")
            #expect(result.session.port == cloud.port)
        }
    }

    @Test(arguments: [
        ["Location": "http://elsewhere.example/x"], ["Location": "//elsewhere.example/x"],
        ["Location": "https://127.0.0.1/x"], ["Location": "http://127.0.0.1:1/x"], ["Location": "ftp://127.0.0.1/x"],
        ["Location": "http://me@127.0.0.1/x"], ["Content-Type": "text/html"],
    ])
    func answersThatAreNotTrusted(headers: [String: String]) async throws {
        var fields = HTTPFields()
        for (name, value) in headers { fields.set(name, value) }
        let response = response(fields)
        try await withCloud({ _ in response }) { cloud in
            let live = cloud.connection().liveService
            let error = await #expect(throws: CloudError.self) {
                try await live.offer(spaceId: "home", deviceId: "d", sdp: offer)
            }
            guard case .unexpectedAnswer(201, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test(arguments: ["", "hello", "{}"])
    func bodiesThatAreNoDescription(body: String) async throws {
        let response = HTTPResponse.text(
            201, body, headers: ["Content-Type": "application/sdp", "Location": "/v1/live/x"])
        try await withCloud({ _ in response }) { cloud in
            let live = cloud.connection().liveService
            await #expect(throws: CloudError.self) {
                try await live.offer(spaceId: "home", deviceId: "d", sdp: offer)
            }
        }
    }

    @Test func aSleepingCamera() async throws {
        let said = APIError(code: .deviceOffline, message: "the camera is not connected")
        var response = HTTPResponse.json(409, said)
        response.headers.set("Retry-After", "5")
        try await withCloud({ [response] _ in response }) { cloud in
            let live = cloud.connection().liveService
            await #expect(throws: CloudError.api(said, status: 409, retryAfter: .seconds(5))) {
                try await live.offer(spaceId: "home", deviceId: "d", sdp: offer)
            }
        }
    }

    @Test(arguments: [200, 204, 404, 410])
    func endsASession(status: Int) async throws {
        try await withCloud({ _ in .text(status, "") }) { cloud in
            let session = LiveAnswer(sdp: answer, session: URL(string: "\(cloud.url)/v1/live/unguessable")!)
            try await cloud.connection().liveService.end(session)
            #expect(cloud.received.map(\.method) == ["DELETE"])
            #expect(cloud.received.map(\.path) == ["/v1/live/unguessable"])
            #expect(cloud.received.first?.headers["Authorization"] == "Bearer token-canary")
        }
    }

    @Test func sendsNoTokenToAnotherCloud() async throws {
        try await withCloud({ _ in .text(204, "") }) { old in
            try await withCloud({ _ in .text(204, "") }) { new in
                let session = LiveAnswer(sdp: answer, session: URL(string: "\(old.url)/v1/live/unguessable")!)
                try await new.connection().liveService.end(session)
                #expect(new.received.isEmpty)
                #expect(old.received.map { $0.headers["Authorization"] } == [nil])
            }
        }
    }

    @Test func failsToEndWhenTheCloudFails() async throws {
        try await withCloud({ _ in .json(500, APIError(code: .internalFault, message: "oh")) }) { cloud in
            let session = LiveAnswer(sdp: answer, session: URL(string: "\(cloud.url)/v1/live/unguessable")!)
            let live = cloud.connection().liveService
            await #expect(throws: CloudError.self) { try await live.end(session) }
        }
    }
}
