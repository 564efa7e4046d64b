import CryptoKit
import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

@testable import CloudServer

/// A cloud without sockets on a real database, with a clock that the test moves, and two homes in it.
final class CloudFixture: Sendable {
    struct Home: Sendable {
        var space: String
        var token: Secret
    }

    let directory: TemporaryDirectory
    let clock = ManualClock()
    let configuration: CloudConfiguration
    let store: SQLiteStore
    let cameras: CameraHub
    let service: CloudService
    let home: Home
    let otherHome: Home

    init(configure: (inout CloudConfiguration) -> Void = { _ in }) async throws {
        directory = try TemporaryDirectory()
        var configuration = CloudConfiguration(dataDirectory: directory.url)
        configuration.clock = clock
        configuration.wallTime = { Date(timeIntervalSince1970: 1_800_000_000) }
        configure(&configuration)
        self.configuration = configuration
        store = try SQLiteStore(path: directory.path("cloud.sqlite"))
        let credentials = CredentialSource(randomBytes: configuration.randomBytes)
        let time = ServerTime(
            clock: clock, wallTime: configuration.wallTime(), notBefore: try await store.newestTimestamp())
        cameras = CameraHub(
            clock: clock, credentials: credentials, answerDeadline: configuration.answerDeadline,
            iceServers: configuration.iceServers)
        let pages =
            if let console = configuration.consoleDirectory { try ConsolePages(directory: console) } else {
                ConsolePages()
            }
        service = CloudService(
            configuration, store: store, cameras: cameras, time: time, credentials: credentials, pages: pages)
        var homes: [Home] = []
        for name in ["Home", "Other home"] {
            let home = Home(space: credentials.spaceId(), token: credentials.token())
            try await store.createSpace(
                Space(id: home.space, name: name), token: CredentialDigest(of: home.token), at: time.now)
            homes.append(home)
        }
        (home, otherHome) = (homes[0], homes[1])
    }

    // MARK: Requests

    func send(
        _ method: String, _ path: String, body: Data = Data(), type: String? = nil, token: Secret? = nil
    ) async -> HTTPResponse {
        var headers = HTTPFields()
        if let token { headers["Authorization"] = "Bearer \(token.revealed)" }
        if let type { headers["Content-Type"] = type }
        let request = HTTPRequest(method: method, path: path, headers: headers, body: body)
        do {
            // The deadline is for the test's own faults: most answers come at once, none waits for the real clock.
            return try await within(.seconds(20), "the answer to \(method) \(path)") { [service] in
                await service.respond(to: request)
            }
        } catch {
            return HTTPResponse(status: 599, body: Data("\(error)".utf8))
        }
    }

    func post(_ path: String, _ body: some Encodable, token: Secret? = nil) async throws -> HTTPResponse {
        await send("POST", path, body: try JSONEncoder().encode(body), type: "application/json", token: token)
    }

    // MARK: Steps of a pairing

    static let timezone = TimezoneSettings(id: "Europe/Berlin", tzFormat: "GMT+01:00")

    func newSessionKey(in home: Home? = nil, type: SessionType = .other) async throws -> Secret {
        let home = home ?? self.home
        let response = try await post(
            CloudRoute.pairingSessions(space: home.space),
            PairingSessionKeyRequest(timezoneSettings: Self.timezone, sessionType: type), token: home.token)
        try #require(response.status == 201, "\(String(decoding: response.body, as: UTF8.self))")
        return Secret(try JSONDecoder().decode(PairingSessionKeyModel.self, from: response.body).sessionKey)
    }

    func status(_ key: Secret, in home: Home? = nil) async throws -> PairingSessionStatus {
        let home = home ?? self.home
        let response = try await post(
            CloudRoute.pairingSessionStatus(space: home.space), PairingSessionStatusRequest(sessionKey: key),
            token: home.token)
        try #require(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
        return try JSONDecoder().decode(PairingSessionStatus.self, from: response.body)
    }

    /// A device that is registered in `home`.
    func registeredDevice(in home: Home? = nil) async throws -> TestDevice {
        let device = TestDevice()
        let response = try await post(
            CloudRoute.registrations, try device.registration(try await newSessionKey(in: home)))
        try #require(response.status == 201)
        return device
    }

    /// Serves cameras on the fixture's store, and calls `body` before one is marked as connected.
    func cameraSockets(
        beforeMark body: @escaping @Sendable (DeviceID) async throws(StoreError) -> Void
    ) -> CameraSocketService {
        let service = service.cameraSockets
        return CameraSocketService(
            store: ObservedStore(base: store, beforeMark: body), cameras: cameras, time: service.time, clock: clock,
            credentials: service.credentials)
    }

    /// A camera that has gone through the handshake, and the task that serves it.
    func connectedCamera(
        _ device: TestDevice, through service: CameraSocketService? = nil
    ) async throws -> ConnectedCamera {
        let link = TestLink()
        let service = service ?? self.service.cameraSockets
        let serving = Task { await service.serve(link, messages: link.spoken) }
        let camera = ConnectedCamera(device: device, link: link, serving: serving)
        try await camera.shakeHands()
        return camera
    }
}

/// A camera on a ``TestLink``.
final class ConnectedCamera: Sendable {
    let device: TestDevice
    let link: TestLink
    let serving: Task<Void, Never>

    init(device: TestDevice, link: TestLink, serving: Task<Void, Never>) {
        self.device = device
        self.link = link
        self.serving = serving
    }

    deinit { link.vanish() }

    func say(_ message: CameraSocketMessage) throws {
        link.say(String(decoding: try JSONEncoder().encode(message), as: UTF8.self))
    }

    /// The next thing the cloud says.
    func hear(_ what: String = "a message from the cloud") async throws -> CloudSocketMessage {
        let heard = link.heard
        return try await within(.seconds(20), what) {
            var iterator = heard.makeAsyncIterator()
            return try #require(await iterator.next(), "the link ended")
        }
    }

    func shakeHands() async throws {
        try say(.hello(deviceId: device.id, version: CameraSocketMessage.version))
        guard case .challenge(let nonce) = try await hear("the challenge") else {
            Issue.record("no challenge")
            return
        }
        try say(try device.proof(nonce))
        let welcome = try await hear("the welcome")
        #expect(welcome == .welcome(keepAlive: CameraHub.keepAlive))
    }

    /// Something else came.
    struct NoOffer: Error {
        var instead: CloudSocketMessage
    }

    /// Waits for an offer.
    func offer() async throws -> (id: String, session: String, sdp: String) {
        let message = try await hear("an offer")
        guard case .offer(let id, let session, let sdp, _, _) = message else { throw NoOffer(instead: message) }
        return (id, session, sdp)
    }
}

extension HTTPResponse {
    /// The error of an answer of 400 and above.
    var apiError: APIError? { try? JSONDecoder().decode(APIError.self, from: body) }
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}
