import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

@testable import CloudServer

/// The whole server: real sockets, a real file.
@Suite struct CloudServerTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func start(
        _ configure: (inout CloudConfiguration) -> Void = { _ in }
    ) async throws -> (CloudServer, CloudClient) {
        var configuration = CloudConfiguration(dataDirectory: directory.url)
        configure(&configuration)
        let server = try await CloudServer.start(configuration)
        return (server, CloudClient(server))
    }

    @Test func aCameraIsPairedAndWatched() async throws {
        let (server, client) = try await start()
        let home = try #require(try await server.bootstrap(spaceNamed: "Home"))
        let key = try await client.newSessionKey(home)
        let device = TestDevice()
        #expect(try await client.post(CloudRoute.registrations, try device.registration(key)).status == 201)
        let camera = try await SocketCamera.connect(device, port: server.port)
        #expect(try await client.status(key, home).status == DeviceAuthStatus.paired.rawValue)
        let read = try await client.send(
            "GET", CloudRoute.device(space: home.spaceId, device: device.id.rawValue), token: home.token)
        #expect(try read.decoded(DeviceModel.self).online)

        async let posted = client.send(
            "POST", CloudRoute.live(space: home.spaceId, device: device.id.rawValue), body: Data(LiveTests.offer.utf8),
            type: "application/sdp", token: home.token)
        guard case .offer(let id, let session, let sdp, _, _) = try await camera.hear() else {
            Issue.record("no offer")
            return
        }
        #expect(sdp == LiveTests.offer)
        try camera.say(.answer(id: id, sdp: LiveTests.answer))
        let view = try await posted
        #expect(view.status == 201)
        #expect(view.data == Data(LiveTests.answer.utf8))
        let location = try #require(view.headers["Location"])
        #expect(try await client.send("DELETE", location).status == 200)
        #expect(try await camera.hear() == .endSession(session: session))
        await server.stop()
    }

    @Test func aCameraKilledWhileAnOfferWaitsFailsItAtOnce() async throws {
        let (server, client) = try await start()
        let home = try #require(try await server.bootstrap(spaceNamed: "Home"))
        let device = TestDevice()
        _ = try await client.post(
            CloudRoute.registrations, try device.registration(try await client.newSessionKey(home)))
        let camera = try await SocketCamera.connect(device, port: server.port)
        async let posted = client.send(
            "POST", CloudRoute.live(space: home.spaceId, device: device.id.rawValue), body: Data(LiveTests.offer.utf8),
            type: "application/sdp", token: home.token)
        guard case .offer = try await camera.hear() else {
            Issue.record("no offer")
            return
        }
        let start = ContinuousClock.now
        camera.socket.close()
        let answer = try await posted
        #expect(answer.status == 409)
        #expect(try answer.decoded(APIError.self).code == .deviceOffline)
        #expect(answer.headers["Retry-After"] == "5")
        #expect(ContinuousClock.now - start < .seconds(9), "it waited for the deadline of 10 s")
        await server.stop()
    }

    @Test func oneOfFiftyRedeemsAKey() async throws {
        let (server, client) = try await start()
        let home = try #require(try await server.bootstrap(spaceNamed: "Home"))
        let key = try await client.newSessionKey(home)
        let registrations = try (0..<50).map { _ in try TestDevice().registration(key) }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for registration in registrations {
                group.addTask { try await client.post(CloudRoute.registrations, registration).status }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [201: 1, 409: 49])
        await server.stop()
    }

    @Test func aRestartKeepsEverything() async throws {
        let device = TestDevice()
        let home: CloudServer.SpaceCredentials
        let used: Secret
        let fresh: Secret
        do {
            let (server, client) = try await start()
            home = try #require(try await server.bootstrap(spaceNamed: "Home"))
            used = try await client.newSessionKey(home)
            fresh = try await client.newSessionKey(home)
            _ = try await client.post(CloudRoute.registrations, try device.registration(used))
            let camera = try await SocketCamera.connect(device, port: server.port)
            await server.stop()
            guard case .goAway = try await camera.hear() else {
                Issue.record("the camera is not told")
                return
            }
            try await camera.ended()
        }
        let (server, client) = try await start()
        #expect(try await server.bootstrap(spaceNamed: "Another") == nil)
        #expect(try await server.spaces().map(\.name) == ["Home"])
        #expect(try await client.status(used, home).status == DeviceAuthStatus.paired.rawValue)
        let read = try await client.send(
            "GET", CloudRoute.device(space: home.spaceId, device: device.id.rawValue), token: home.token)
        let model = try read.decoded(DeviceModel.self)
        #expect(model.pairingStatus == .paired && !model.online)
        _ = try await SocketCamera.connect(device, port: server.port)
        #expect(try await client.post(CloudRoute.registrations, try TestDevice().registration(used)).status == 409)
        #expect(try await client.post(CloudRoute.registrations, try TestDevice().registration(fresh)).status == 201)
        await server.stop()
    }

    @Test func aLostTokenCanBeReplaced() async throws {
        let (server, client) = try await start()
        let home = try #require(try await server.bootstrap(spaceNamed: "Home"))
        let other = try await server.createSpace(named: "Cabin")
        let second = try await server.createToken(spaceId: home.spaceId)
        let path = CloudRoute.devices(space: home.spaceId)
        for token in [home.token, second] {
            #expect(try await client.send("GET", path, token: token).status == 200)
        }
        #expect(try await client.send("GET", path, token: other.token).status == 403)
        #expect(try await server.spaces().map(\.name) == ["Home", "Cabin"])
        await #expect(throws: CloudServerError.noSuchSpace(id: "nowhere")) {
            _ = try await server.createToken(spaceId: "nowhere")
        }
        await server.stop()
    }

    @Test func hostileRequestsGetClearAnswers() async throws {
        let (server, client) = try await start()
        let home = try #require(try await server.bootstrap(spaceNamed: "Home"))
        let path = CloudRoute.pairingSessions(space: home.spaceId)
        for (size, status) in [(64 << 10, 413), (1 << 20, 413)] {
            let answer = try await client.send("POST", path, body: Data(count: size), token: home.token)
            #expect(answer.status == status)
            let error = try answer.decoded(APIError.self)
            #expect(error.code == .bodyTooLarge && error.field == "body")
        }
        let notJSON = try await client.send(
            "POST", path, body: Data("hello".utf8), type: "application/json", token: home.token)
        #expect(notJSON.status == 400)
        #expect(try notJSON.decoded(APIError.self).code == .notJSON)
        #expect(try await client.send("GET", "/v1/spaces/%2E%2E/health").status == 400)
        #expect(try await client.send("GET", CloudRoute.cameraSocket).status == 426)
        await server.stop()
    }

    @Test func webSocketsOpenForCamerasOnly() async throws {
        let (server, _) = try await start()
        for path in ["/", "/v1/health", "/v1/camera/x"] {
            let url = try #require(URL(string: "ws://127.0.0.1:\(server.port)\(path)"))
            await #expect(throws: WebSocketsError.refused(status: 404)) { _ = try await WebSocket.connect(to: url) }
        }
        await server.stop()
    }

    @Test func aHugeMessageEndsTheCamerasConnection() async throws {
        let (server, client) = try await start()
        let home = try #require(try await server.bootstrap(spaceNamed: "Home"))
        let device = TestDevice()
        _ = try await client.post(
            CloudRoute.registrations, try device.registration(try await client.newSessionKey(home)))
        let camera = try await SocketCamera.connect(device, port: server.port)
        try camera.socket.send(.text(String(repeating: "x", count: CloudService.largestMessage + 1)))
        try await camera.ended()
        _ = try await SocketCamera.connect(device, port: server.port)
        await server.stop()
    }

    // MARK: Start

    @Test func thePortIsNamedWhenItIsTaken() async throws {
        let (server, _) = try await start()
        let second = try TemporaryDirectory()
        var configuration = CloudConfiguration(dataDirectory: second.url)
        configuration.port = server.port
        let error = await #expect(throws: CloudServerError.self) { _ = try await CloudServer.start(configuration) }
        #expect(error == .portInUse(host: "127.0.0.1", port: server.port))
        expectOneLine(error)
        await server.stop()
        let again = try await CloudServer.start(configuration)
        #expect(again.port == server.port)
        await again.stop()
    }

    @Test func theDataDirectoryIsMadeForItsOwnerOnly() async throws {
        let url = directory.url.appending(path: "a/b/data")
        let server = try await CloudServer.start(CloudConfiguration(dataDirectory: url))
        let mode = try FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))[.posixPermissions]
        #expect(mode as? Int == 0o700)
        await server.stop()
    }

    @Test func aDataDirectoryThatCannotBeUsedIsNamed() async throws {
        let file = directory.url.appending(path: "file")
        try Data().write(to: file)
        let open = directory.url.appending(path: "open")
        try FileManager.default.createDirectory(at: open, withIntermediateDirectories: false)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: open.path(percentEncoded: false))
        for url in [file, file.appending(path: "below"), open, URL(filePath: "/proc/porchlight")] {
            let error = await #expect(throws: CloudServerError.self) {
                _ = try await CloudServer.start(CloudConfiguration(dataDirectory: url))
            }
            guard case .dataDirectory = error else {
                Issue.record("\(url): \(String(describing: error))")
                continue
            }
            expectOneLine(error)
        }
    }

    @Test func aDatabaseThatIsNoneIsNamed() async throws {
        try Data(repeating: 0x41, count: 8192).write(to: directory.url.appending(path: "cloud.sqlite"))
        let error = await #expect(throws: CloudServerError.self) { _ = try await start() }
        #expect(error?.description.contains("restore it from a backup") == true)
        expectOneLine(error)
    }

    @Test func valuesOutsideTheirRangeAreNamed() async throws {
        let wrong: [(String, @Sendable (inout CloudConfiguration) -> Void)] = [
            ("sessionKeyLife", { $0.sessionKeyLife = .seconds(601) }),
            ("sessionKeyLife", { $0.sessionKeyLife = .zero }),
            ("answerDeadline", { $0.answerDeadline = .zero }),
            ("port", { $0.port = 65_536 }),
            ("port", { $0.port = -1 }),
        ]
        for (field, change) in wrong {
            let error = await #expect(throws: CloudServerError.self) { _ = try await start(change) }
            guard case .configuration(field, _) = error else {
                Issue.record("\(field): \(String(describing: error))")
                continue
            }
            expectOneLine(error)
        }
        let error = await #expect(throws: CloudServerError.self) { _ = try await start { $0.host = "192.0.2.1" } }
        guard case .cannotListen = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        expectOneLine(error)
    }

    private func expectOneLine(_ error: CloudServerError?, sourceLocation: SourceLocation = #_sourceLocation) {
        let text = error?.description ?? ""
        #expect(!text.isEmpty && !text.contains("\n"), sourceLocation: sourceLocation)
    }
}
