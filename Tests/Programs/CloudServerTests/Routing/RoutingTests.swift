import Foundation
import Testing
import WebSockets
import Wire

@testable import CloudServer

@Suite struct RoutingTests {
    @Test(arguments: [
        "", "/v1", "/v1/", "/v2/health", "/v1/health/", "//v1/health", "/v1/spaces", "/v1/spaces/",
        "/v1/spaces//devices",
        "/v1/spaces/a/devices/", "/v1/spaces/a/devices/b/live/", "/v1/live/", "/v1/live", "/index.html", "/etc/passwd",
        "*",
    ])
    func whatIsNotInTheTableIsNotThere(_ path: String) async throws {
        let fixture = try await CloudFixture()
        let response = await fixture.send("GET", path, token: fixture.home.token)
        #expect(response.status == 404)
        #expect(response.apiError?.code == .notFound)
        #expect(response.headers["Cache-Control"] == "no-store")
        #expect(response.headers["Content-Type"] == "application/json")
    }

    @Test(
        arguments: RouteTable.interface.indices, ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"])
    func anotherMethodIsNamedAsSuch(_ index: Int, _ method: String) async throws {
        let fixture = try await CloudFixture()
        let path = RouteTable.interface[index].path.description
        let methods = Set(RouteTable.interface.filter { $0.path.description == path }.map(\.method))
        guard !methods.contains(method == "HEAD" ? "GET" : method) else { return }
        let response = await fixture.send(method, path, token: fixture.home.token)
        #expect(response.status == 405)
        #expect(response.apiError?.code == .methodNotAllowed)
        let allowed = methods.union(methods.contains("GET") ? ["HEAD"] : [])
        #expect(response.headers["Allow"] == allowed.sorted().joined(separator: ", "))
    }

    @Test func headIsAnsweredAsGet() async throws {
        let fixture = try await CloudFixture()
        #expect(await fixture.send("HEAD", CloudRoute.health) == fixture.send("GET", CloudRoute.health))
    }

    @Test func healthSaysOk() async throws {
        let fixture = try await CloudFixture()
        let response = await fixture.send("GET", CloudRoute.health)
        #expect(response.status == 200)
        #expect(response.text == #"{"status":"ok"}"#)
    }

    @Test func everyEndpointHasItsLine() {
        let endpoints = Set(RouteTable.interface.map(\.endpoint)).union([.console])
        #expect(endpoints == Set(Endpoint.allCases))
        let lines = RouteTable.interface.map { "\($0.method) \($0.path)" }
        #expect(Set(lines).count == lines.count, "a route stands twice")
    }

    @Test(arguments: [
        "DELETE /v1/live/{liveId}", "GET /v1/camera", "GET /v1/health", "GET /v1/spaces/{spaceId}/devices",
        "GET /v1/spaces/{spaceId}/devices/{deviceId}", "OPTIONS /v1/live/{liveId}",
        "OPTIONS /v1/spaces/{spaceId}/devices/{deviceId}/live", "POST /v1/devices", "POST /v1/pairing-failures",
        "POST /v1/spaces/{spaceId}/devices/{deviceId}/live", "POST /v1/spaces/{spaceId}/pairing-sessions",
        "POST /v1/spaces/{spaceId}/pairing-sessions/status",
    ])
    func theRoutesAreThoseOfTheContract(_ line: String) {
        #expect(RouteTable.interface.contains { "\($0.method) \($0.path)" == line })
        #expect(RouteTable.interface.count == 12)
    }
}
