import Foundation
import Testing
import WebSockets
import Wire

@testable import CloudServer

/// Every route with every kind of caller.
@Suite struct AccessMatrixTests {
    enum Caller: CaseIterable, Sendable {
        case nobody, malformed, unknownToken, sessionKeyAsToken, otherSpacesToken, rightToken
    }

    @Test(arguments: RouteTable.interface.indices, Caller.allCases)
    func onlyWhoMayIsLetIn(_ index: Int, _ caller: Caller) async throws {
        let route = RouteTable.interface[index]
        let fixture = try await CloudFixture()
        let device = try await fixture.registeredDevice()
        let path = route.path.description
            .replacing("{spaceId}", with: fixture.home.space)
            .replacing("{deviceId}", with: device.id.rawValue)
            .replacing("{liveId}", with: "a-live-session")
        let sessionKey = try await fixture.newSessionKey()
        var headers = HTTPFields()
        headers["Authorization"] =
            switch caller {
            case .nobody: nil
            case .malformed: "Basic \(fixture.home.token.revealed)"
            case .unknownToken: "Bearer \(fixture.home.token.revealed)x"
            case .sessionKeyAsToken: "Bearer \(sessionKey.revealed)"
            case .otherSpacesToken: "Bearer \(fixture.otherHome.token.revealed)"
            case .rightToken: "Bearer \(fixture.home.token.revealed)"
            }
        // No body at all: who is not let in is refused before anybody looks for one.
        let response = await fixture.service.respond(
            to: HTTPRequest(method: route.method, path: path, headers: headers))
        let expected: Set<Int> =
            switch (route.access, caller) {
            case (.anyone, _): [200]
            case (.personInSpace, .otherSpacesToken): [403]
            case (.personInSpace, .rightToken): [200, 400, 415]
            case (.personInSpace, _): [401]
            // Not let in by any token, only by what the body, the address or the socket's handshake holds.
            case (.sessionKey, _): [400]
            case (.address, _): [404]
            case (.deviceKey, _): [426]
            }
        #expect(expected.contains(response.status), "\(route.method) \(path): \(response.status) \(response.text)")
        #expect(response.headers["Cache-Control"] == "no-store")
        if response.status >= 400 { #expect(response.apiError != nil, "no error body") }
        if response.status == 401 { #expect(response.headers["WWW-Authenticate"]?.hasPrefix("Bearer") == true) }
    }

    @Test(arguments: RouteTable.interface.filter { $0.access == .personInSpace }.map(\.endpoint))
    func aSpaceThatIsNotThereLooksLikeAnothers(_ endpoint: Endpoint) async throws {
        let fixture = try await CloudFixture()
        let route = try #require(RouteTable.interface.first { $0.endpoint == endpoint })
        var answers: [HTTPResponse] = []
        for space in ["nowhere", fixture.otherHome.space] {
            let path = route.path.description.replacing("{spaceId}", with: space)
                .replacing("{deviceId}", with: TestDevice().id.rawValue)
            answers.append(await fixture.send(route.method, path, token: fixture.home.token))
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0].status == 403)
        #expect(answers[0].apiError?.code == .forbidden)
    }

    @Test func anotherSpacesDeviceIsNotThere() async throws {
        let fixture = try await CloudFixture()
        let device = try await fixture.registeredDevice(in: fixture.otherHome)
        let camera = try await fixture.connectedCamera(device)
        let absent = TestDevice()
        for path in [CloudRoute.device, CloudRoute.live] {
            var answers: [HTTPResponse] = []
            for id in [device.id, absent.id] {
                let isRead = path("", "") == CloudRoute.device(space: "", device: "")
                answers.append(
                    await fixture.send(
                        isRead ? "GET" : "POST", path(fixture.home.space, id.rawValue), body: Data("v=0\r\n".utf8),
                        type: "application/sdp", token: fixture.home.token))
            }
            #expect(answers[0] == answers[1])
            #expect(answers[0].status == 404)
        }
        let list = await fixture.send("GET", CloudRoute.devices(space: fixture.home.space), token: fixture.home.token)
        #expect(list.text == "[]")
        camera.link.vanish()
    }

    @Test func twoAuthorizationHeadersAreNone() async throws {
        let fixture = try await CloudFixture()
        var headers = HTTPFields()
        headers.add("Authorization", "Bearer \(fixture.home.token.revealed)")
        headers.add("Authorization", "Bearer \(fixture.otherHome.token.revealed)")
        let response = await fixture.service.respond(
            to: HTTPRequest(path: CloudRoute.devices(space: fixture.home.space), headers: headers))
        #expect(response.status == 401)
    }

    @Test(arguments: ["bearer", "BEARER", "Bearer"])
    func theSchemesCaseDoesNotMatter(_ scheme: String) async throws {
        let fixture = try await CloudFixture()
        let response = await fixture.service.respond(
            to: HTTPRequest(
                path: CloudRoute.devices(space: fixture.home.space),
                headers: ["Authorization": "\(scheme) \(fixture.home.token.revealed)"]))
        #expect(response.status == 200)
    }

    @Test func webSocketsOpenAtTheCamerasPathOnly() async throws {
        let fixture = try await CloudFixture()
        #expect(fixture.service.refuseUpgrade(of: HTTPRequest(path: CloudRoute.cameraSocket)) == nil)
        for route in RouteTable.interface where route.endpoint != .cameraSocket {
            let path = route.path.description.replacing("{spaceId}", with: fixture.home.space)
            #expect(fixture.service.refuseUpgrade(of: HTTPRequest(path: path))?.status == 404, "\(path)")
        }
        #expect(
            fixture.service.refuseUpgrade(of: HTTPRequest(method: "POST", path: CloudRoute.cameraSocket))?.status
                == 404)
        for path in ["/", "/v1/camera/", "/v1/camera/x", "/v2/camera"] {
            #expect(fixture.service.refuseUpgrade(of: HTTPRequest(path: path))?.status == 404, "\(path)")
        }
    }
}
