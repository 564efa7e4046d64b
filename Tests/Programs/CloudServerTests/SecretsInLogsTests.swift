import Basics
import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

@testable import CloudServer

/// Runs what can go right and wrong with secrets in it, and searches every line of the log, and every error, for them.
///
/// The log is the process's: the one suite that redirects it, and its sink keeps what other tests write meanwhile as well.
@Suite(.serialized) struct SecretsInLogsTests {
    @Test func noSecretReachesALogOrAnError() async throws {
        let lines = Locked<[String]>([])
        let threshold = Log.threshold
        Log.redirect { _, category, message in lines.withLock { $0.append("[\(category)] \(message)") } }
        Log.threshold = .debug
        defer { Log.threshold = threshold }

        let fixture = try await CloudFixture()
        var secrets = [fixture.home.token, fixture.otherHome.token]
        var answers: [String] = []

        let key = try await fixture.newSessionKey()
        let wrongKey = Secret("wrong-key-canary-0123456789")
        secrets += [key, wrongKey]
        let device = TestDevice()
        answers.append(try await fixture.post(CloudRoute.registrations, try device.registration(wrongKey)).text)
        answers.append(
            try await fixture.post(
                CloudRoute.pairingFailures, PairingFailureReport(sessionKey: key, failure: .wrongPassword)
            ).text)
        answers.append(try await fixture.post(CloudRoute.registrations, try device.registration(key)).text)
        answers.append(try await fixture.post(CloudRoute.registrations, try device.registration(key)).text)
        answers.append(
            await fixture.send(
                "POST", CloudRoute.registrations, body: Data(#"{"sessionKey": ["\#(key.revealed)"]}"#.utf8)
            ).text)
        answers.append(
            await fixture.send("POST", CloudRoute.registrations, body: Data(#"{"sessionKey": \#(key.revealed)"#.utf8))
                .text)
        answers.append(
            await fixture.send(
                "GET", CloudRoute.devices(space: fixture.otherHome.space), token: fixture.home.token
            ).text)
        answers.append(
            await fixture.send("GET", CloudRoute.devices(space: fixture.home.space), token: wrongKey).text)

        let camera = try await fixture.connectedCamera(device)
        async let posted = fixture.send(
            "POST", CloudRoute.live(space: fixture.home.space, device: device.id.rawValue),
            body: Data(LiveTests.offer.utf8), type: "application/sdp", token: fixture.home.token)
        let offer = try await camera.offer()
        try camera.say(.answer(id: offer.id, sdp: LiveTests.answer))
        #expect(await posted.status == 201)
        secrets += [Secret(offer.session), Secret(offer.id)]
        camera.link.say(#"{"type": "\#(key.revealed)"}"#)
        try await within(.seconds(20), "the camera's end") { await camera.serving.value }

        // The whole server, its configuration and what the operator gets.
        var configuration = CloudConfiguration(dataDirectory: fixture.directory.url.appending(path: "server"))
        configuration.iceServers = [ICEServer(urls: ["turn:x"], username: "u", credential: Secret("turn-canary"))]
        secrets.append(Secret("turn-canary"))
        let server = try await CloudServer.start(configuration)
        let home = try #require(try await server.bootstrap(spaceNamed: "Home"))
        secrets.append(home.token)
        answers += ["\(home)", String(reflecting: home), "\(configuration)"]
        let client = CloudClient(server)
        let another = try await client.newSessionKey(home)
        secrets.append(another)
        _ = try await client.post(CloudRoute.registrations, try device.registration(another))
        _ = try await client.send("GET", "/v1/health?token=\(home.token.revealed)", token: home.token)
        await server.stop()

        let written = lines.withLock { $0 }
        #expect(written.contains { $0.contains("camera \(device.id) is online") }, "nothing was captured")
        for (number, secret) in secrets.enumerated() {
            for line in written + answers where line.contains(secret.revealed) {
                Issue.record("secret \(number) stands in: \(line.replacing(secret.revealed, with: "<secret>"))")
            }
        }
    }
}
