import CryptoKit
import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

@testable import CloudServer

/// The camera's socket without a socket.
@Suite struct CameraSocketTests {
    /// Serves one camera that says `texts`, and gives what it heard until the end.
    private func conversation(
        _ fixture: CloudFixture, _ texts: [String]
    ) async throws -> (heard: [CloudSocketMessage], reason: CameraCloseReason?) {
        let link = TestLink()
        for text in texts { link.say(text) }
        try await within(.seconds(20), "the end of the conversation") {
            await fixture.service.cameraSockets.serve(link, messages: link.spoken)
        }
        var heard: [CloudSocketMessage] = []
        for await message in link.heard { heard.append(message) }
        return (heard, link.closeReason)
    }

    private func text(_ message: CameraSocketMessage) throws -> String {
        String(decoding: try JSONEncoder().encode(message), as: UTF8.self)
    }

    private func refusal(_ message: CloudSocketMessage?) -> APIError? {
        if case .refused(let error) = message { error } else { nil }
    }

    @Test func anUnknownCameraIsToldSo() async throws {
        let fixture = try await CloudFixture()
        let (heard, reason) = try await conversation(
            fixture, [try text(.hello(deviceId: TestDevice().id, version: 1))])
        #expect(heard.count == 1)
        #expect(refusal(heard.first)?.code == .notFound)
        #expect(reason == .refused)
    }

    @Test func anotherVersionIsRefused() async throws {
        let fixture = try await CloudFixture()
        let device = try await fixture.registeredDevice()
        let (heard, _) = try await conversation(fixture, [try text(.hello(deviceId: device.id, version: 2))])
        #expect(refusal(heard.first)?.field == "version")
    }

    @Test(arguments: [
        "", "hello", "{}", "[]", #"{"type":"hello"}"#, #"{"type":"hello","deviceId":"x","version":1}"#,
        #"{"type":"answer","id":"a","sdp":"b"}"#, #"{"type":"unheard of"}"#,
    ])
    func whatIsNoHelloIsRefused(_ first: String) async throws {
        let fixture = try await CloudFixture()
        let (heard, reason) = try await conversation(fixture, [first])
        #expect(heard.count == 1)
        #expect([.notJSON, .badField].contains(try #require(refusal(heard.first)).code))
        #expect(reason == .refused)
    }

    @Test func theProofOfAnotherKeyIsRefused() async throws {
        let fixture = try await CloudFixture()
        let device = try await fixture.registeredDevice()
        let (heard, reason) = try await conversation(
            fixture,
            [
                try text(.hello(deviceId: device.id, version: 1)),
                try text(try TestDevice().proof(Data(count: 32))),
            ])
        #expect(heard.count == 2)
        #expect(refusal(heard.last)?.code == .badSignature)
        #expect(reason == .refused)
        #expect(await !fixture.cameras.isOnline(device.id))
        let read = await fixture.send(
            "GET", CloudRoute.device(space: fixture.home.space, device: device.id.rawValue), token: fixture.home.token)
        #expect(try JSONDecoder().decode(DeviceModel.self, from: read.body).pairingStatus == .authenticated)
    }

    @Test func aProofThatWasHeardOnceDoesNotCountAgain() async throws {
        let fixture = try await CloudFixture()
        let device = try await fixture.registeredDevice()
        let link = TestLink()
        let serving = Task { await fixture.service.cameraSockets.serve(link, messages: link.spoken) }
        let camera = ConnectedCamera(device: device, link: link, serving: serving)
        try camera.say(.hello(deviceId: device.id, version: 1))
        guard case .challenge(let nonce) = try await camera.hear() else {
            Issue.record("no challenge")
            return
        }
        #expect(nonce.count == 32)
        let proof = try text(try device.proof(nonce))
        let (heard, _) = try await conversation(
            fixture, [try text(.hello(deviceId: device.id, version: 1)), proof])
        #expect(heard.first != .challenge(nonce: nonce), "a nonce came twice")
        #expect(refusal(heard.last)?.code == .badSignature)
        link.vanish()
        await serving.value
    }

    @Test func aCallerThatSaysNothingIsClosed() async throws {
        let fixture = try await CloudFixture()
        let link = TestLink()
        let serving = Task { await fixture.service.cameraSockets.serve(link, messages: link.spoken) }
        await fixture.clock.sleepers(atLeast: 1)
        fixture.clock.advance(by: CameraSocketService.handshakeLimit)
        try await within(.seconds(20), "the end") { await serving.value }
        #expect(link.closeReason == .slowHandshake)
    }

    @Test func presenceFollowsTheConnection() async throws {
        let fixture = try await CloudFixture()
        let device = try await fixture.registeredDevice()
        let offline = try await fixture.registeredDevice()
        let camera = try await fixture.connectedCamera(device)
        // The handshake's limit is over and harms nobody who is in.
        fixture.clock.advance(by: .seconds(60))
        let list = await fixture.send("GET", CloudRoute.devices(space: fixture.home.space), token: fixture.home.token)
        let online = try JSONDecoder().decode([DeviceModel].self, from: list.body)
        #expect(Set(online.filter(\.online).map(\.deviceId)) == [device.id.rawValue])
        #expect(online.map(\.deviceId).contains(offline.id.rawValue))
        #expect(camera.link.closeReason == nil)
        camera.link.vanish()
        try await within(.seconds(20), "the end") { await camera.serving.value }
        #expect(await !fixture.cameras.isOnline(device.id))
    }

    @Test func aCameraIsReachableBeforeItIsPaired() async throws {
        let fixture = try await CloudFixture()
        let device = try await fixture.registeredDevice()
        let (marks, mark) = AsyncStream<Bool>.makeStream()
        let (answers, answer) = AsyncStream<Result<CameraHub.LiveAnswer, CameraHub.LiveFailure>>.makeStream()
        let cameras = fixture.cameras
        let service = fixture.cameraSockets { device throws(StoreError) in
            mark.yield(await cameras.isOnline(device))
            // Whoever sees it as paired asks at once; the camera hears of it behind the welcome.
            Task {
                do throws(CameraHub.LiveFailure) {
                    answer.yield(.success(try await cameras.openLive(device, offer: LiveTests.offer)))
                } catch {
                    answer.yield(.failure(error))
                }
            }
        }
        let camera = try await fixture.connectedCamera(device, through: service)
        #expect(try await within(.seconds(20), "the mark") { await marks.first { _ in true } } == true)
        try camera.say(.answer(id: try await camera.offer().id, sdp: LiveTests.answer))
        let result = try await within(.seconds(20), "the answer") { await answers.first { _ in true } }
        #expect(try result?.get().sdp == LiveTests.answer)
    }

    @Test func aCameraThatCannotBeMarkedIsSentAway() async throws {
        let fixture = try await CloudFixture()
        let device = try await fixture.registeredDevice()
        let service = fixture.cameraSockets { _ throws(StoreError) in throw .unavailable(reason: "the disk is full") }
        let link = TestLink()
        let camera = ConnectedCamera(
            device: device, link: link, serving: Task { await service.serve(link, messages: link.spoken) })
        try camera.say(.hello(deviceId: device.id, version: CameraSocketMessage.version))
        guard case .challenge(let nonce) = try await camera.hear() else {
            Issue.record("no challenge")
            return
        }
        try camera.say(try device.proof(nonce))
        #expect(refusal(try await camera.hear())?.code == .unavailable, "it was welcomed")
        try await within(.seconds(20), "the end") { await camera.serving.value }
        #expect(await !fixture.cameras.isOnline(device.id))
    }

    @Test func aNewerConnectionReplacesTheOlder() async throws {
        let fixture = try await CloudFixture()
        let device = try await fixture.registeredDevice()
        let older = try await fixture.connectedCamera(device)
        let newer = try await fixture.connectedCamera(device)
        try await within(.seconds(20), "the older one's end") { await older.serving.value }
        #expect(older.link.closeReason == .replaced)
        #expect(await fixture.cameras.isOnline(device.id), "the older one's end took the newer one with it")
        #expect(newer.link.closeReason == nil)
        newer.link.vanish()
    }

    @Test(arguments: [#"{"type":"hello","deviceId":"PLC000000000000000000000000","version":1}"#, "nonsense", "{}"])
    func nonsenseAfterTheWelcomeEndsTheConnection(_ nonsense: String) async throws {
        let fixture = try await CloudFixture()
        let camera = try await fixture.connectedCamera(try await fixture.registeredDevice())
        camera.link.say(nonsense)
        #expect(refusal(try await camera.hear()) != nil)
        try await within(.seconds(20), "the end") { await camera.serving.value }
        #expect(camera.link.closeReason == .refused)
        #expect(await !fixture.cameras.isOnline(camera.device.id))
    }

    @Test func camerasAreSentAwayBeforeTheServerStops() async throws {
        let fixture = try await CloudFixture()
        let camera = try await fixture.connectedCamera(try await fixture.registeredDevice())
        await fixture.cameras.shutDown()
        guard case .goAway(let retryAfter) = try await camera.hear() else {
            Issue.record("no word of it")
            return
        }
        #expect((1000...5000).contains(retryAfter))
        try await within(.seconds(20), "the end") { await camera.serving.value }
        #expect(camera.link.closeReason == .goingAway)
    }
}
