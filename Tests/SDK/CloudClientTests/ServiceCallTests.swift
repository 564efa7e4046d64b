import CloudClient
import Foundation
import Testing
import WebSockets
import Wire

/// What each call sends, and that it reads the answer.
@Suite struct ServiceCallTests {
    private func body<Value: Decodable>(_ request: HTTPRequest, _ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: request.body)
    }

    private func expectHeaders(_ request: HTTPRequest) {
        #expect(request.headers["Authorization"] == "Bearer token-canary")
        #expect(request.headers["Cookie"] == nil)
        #expect(request.query.isEmpty)
        #expect(!request.path.contains("canary"))
    }

    @Test func createsASessionKey() async throws {
        try await withCloud({ _ in .json(201, Sample.key) }) { cloud in
            let key = try await cloud.connection().spaceService.createPairingSessionKey(
                spaceId: "home", request: Sample.keyRequest)
            #expect(key == Sample.key)
            let request = try #require(cloud.received.first)
            #expect(request.method == "POST")
            #expect(request.path == "/v1/spaces/home/pairing-sessions")
            #expect(request.headers["Content-Type"] == "application/json")
            #expect(try body(request, PairingSessionKeyRequest.self) == Sample.keyRequest)
            expectHeaders(request)
        }
    }

    @Test func sendsTheSessionKeyInTheBodyOnly() async throws {
        let status = PairingSessionStatus(expired: false, status: .initialized)
        try await withCloud({ _ in .json(200, status) }) { cloud in
            let answer = try await cloud.connection().spaceService.getPairingSessionStatus(
                spaceId: "home", sessionKey: "key-canary")
            #expect(answer == status)
            let request = try #require(cloud.received.first)
            #expect(request.method == "POST")
            #expect(request.path == "/v1/spaces/home/pairing-sessions/status")
            #expect(try body(request, PairingSessionStatusRequest.self).sessionKey.revealed == "key-canary")
            expectHeaders(request)
        }
    }

    @Test func reportsInAPlaceOfACamera() async throws {
        try await withCloud({ _ in HTTPResponse(status: 204) }) { cloud in
            try await cloud.connection().spaceService.reportPairingFailure(.wrongPassword, sessionKey: "key-canary")
            let request = try #require(cloud.received.first)
            #expect(request.method == "POST")
            #expect(request.path == "/v1/pairing-failures")
            #expect(
                try body(request, PairingFailureReport.self)
                    == PairingFailureReport(sessionKey: Secret("key-canary"), failure: .wrongPassword))
            expectHeaders(request)
        }
    }

    @Test func asksForADevice() async throws {
        try await withCloud({ _ in .json(200, Sample.device()) }) { cloud in
            let device = try await cloud.connection().deviceService.device(spaceId: "home", deviceId: Sample.deviceId)
            #expect(device == Sample.device())
            let request = try #require(cloud.received.first)
            #expect(request.method == "GET")
            #expect(request.path == "/v1/spaces/home/devices/\(Sample.deviceId)")
            #expect(request.body.isEmpty)
            expectHeaders(request)
        }
    }

    @Test func asksForAllDevices() async throws {
        try await withCloud({ _ in .json(200, [Sample.device()]) }) { cloud in
            let devices = try await cloud.connection().deviceService.devices(spaceId: "home")
            #expect(devices == [Sample.device()])
            let request = try #require(cloud.received.first)
            #expect(request.method == "GET")
            #expect(request.path == "/v1/spaces/home/devices")
            expectHeaders(request)
        }
    }

    @Test func keepsAPathInFrontOfTheRoutes() async throws {
        try await withCloud({ _ in .json(200, [DeviceModel]()) }) { cloud in
            for path in ["/cameras", "/cameras/", "/cameras/?x=1#y"] {
                _ = try await CloudConnection(cloud.account(path: path)).deviceService.devices(spaceId: "home")
            }
            #expect(cloud.received.map(\.path) == Array(repeating: "/cameras/v1/spaces/home/devices", count: 3))
        }
    }

    @Test func escapesIdsInPaths() async throws {
        let space = "my home/ä?#%+;"
        try await withCloud({ _ in .json(200, [Sample.device(space: space)]) }) { cloud in
            let devices = try await cloud.connection().deviceService.devices(spaceId: space)
            #expect(devices.count == 1)
            #expect(cloud.received.first?.path == "/v1/spaces/\(space)/devices")
            #expect(cloud.received.first?.query == [:])
        }
    }

    @Test(arguments: ["", ".", "..", String(repeating: "x", count: 257)])
    func refusesIdsThatCannotStandInAPath(id: String) async throws {
        try await withCloud({ _ in .json(200, [DeviceModel]()) }) { cloud in
            let services = cloud.connection()
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await services.deviceService.devices(spaceId: id) },
                { _ = try await services.spaceService.getPairingSessionStatus(spaceId: id, sessionKey: "k") },
                { _ = try await services.liveService.offer(spaceId: id, deviceId: "d", sdp: "v=0") },
            ]
            for call in calls {
                let error = await #expect(throws: CloudError.self) { try await call() }
                guard case .badArgument("spaceId", _) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            #expect(cloud.received.isEmpty)
        }
    }

    @Test func refusesAnswersAboutSomebodyElse() async throws {
        try await withCloud({ request in
            request.path.hasSuffix("/devices")
                ? .json(200, [Sample.device(), Sample.device(space: "other")])
                : .json(200, Sample.device(space: request.path.contains("/home/") ? "other" : "away"))
        }) { cloud in
            let devices = cloud.connection().deviceService
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await devices.device(spaceId: "home", deviceId: Sample.deviceId) },
                { _ = try await devices.device(spaceId: "away", deviceId: "another") },
                { _ = try await devices.devices(spaceId: "home") },
            ]
            for call in calls {
                let error = await #expect(throws: CloudError.self) { try await call() }
                guard case .unexpectedAnswer(200, _) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
        }
    }
}
