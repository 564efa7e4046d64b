import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

@testable import CloudServer

@Suite struct LiveTests {
    static let offer = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\n"
    static let answer = "v=0\r\no=- 2 1 IN IP4 0.0.0.0\r\n"

    private let fixture: CloudFixture
    private let device: TestDevice

    init() async throws {
        fixture = try await CloudFixture {
            $0.iceServers = [
                ICEServer(urls: ["stun:stun.example:3478"]),
                ICEServer(urls: ["turn:turn.example"], username: "u", credential: Secret("c")),
            ]
        }
        device = try await fixture.registeredDevice()
    }

    private func post(
        _ body: String = offer, type: String? = "application/sdp", to device: TestDevice? = nil
    ) async -> HTTPResponse {
        await fixture.send(
            "POST", CloudRoute.live(space: fixture.home.space, device: (device ?? self.device).id.rawValue),
            body: Data(body.utf8), type: type, token: fixture.home.token)
    }

    @Test func anOfferIsAnsweredByTheCamera() async throws {
        let camera = try await fixture.connectedCamera(device)
        async let posted = post()
        guard case .offer(let id, let session, let sdp, let servers, let deadline) = try await camera.hear() else {
            Issue.record("no offer")
            return
        }
        #expect(sdp == Self.offer)
        #expect(servers == fixture.configuration.iceServers)
        #expect(deadline == 10_000)
        #expect(id != session && session.utf8.count >= 22)
        try camera.say(.answer(id: id, sdp: Self.answer))
        let response = await posted
        #expect(response.status == 201)
        #expect(response.text == Self.answer)
        #expect(response.headers["Content-Type"] == "application/sdp")
        #expect(response.headers["Location"] == "/v1/live/\(session)")
        #expect(
            response.headers.values("Link") == [
                #"<stun:stun.example:3478>; rel="ice-server""#,
                #"<turn:turn.example>; rel="ice-server"; username="u"; credential="c"; credential-type="password""#,
            ])
        #expect(response.headers["Access-Control-Allow-Origin"] == "*")

        let location = try #require(response.headers["Location"])
        #expect(await fixture.send("DELETE", location).status == 200)
        #expect(try await camera.hear() == .endSession(session: session))
        #expect(await fixture.send("DELETE", location).status == 404)
    }

    @Test func theCameraEndsAViewItself() async throws {
        let camera = try await fixture.connectedCamera(device)
        async let posted = post()
        let offer = try await camera.offer()
        try camera.say(.answer(id: offer.id, sdp: Self.answer))
        let location = try #require(await posted.headers["Location"])
        try camera.say(.sessionEnded(session: offer.session))
        // Heard in order: when the answer to a later offer is there, the end has been heard as well.
        async let second = post()
        try camera.say(.answer(id: try await camera.offer().id, sdp: Self.answer))
        #expect(await second.status == 201)
        #expect(await fixture.send("DELETE", location).status == 404)
    }

    @Test func aCameraEndsOnlyItsOwnViews() async throws {
        let camera = try await fixture.connectedCamera(device)
        let stranger = try await fixture.connectedCamera(try await fixture.registeredDevice(in: fixture.otherHome))
        async let posted = post()
        let offer = try await camera.offer()
        try stranger.say(.answer(id: offer.id, sdp: "v=0 from a stranger"))
        try stranger.say(.failure(id: offer.id, reason: "from a stranger"))
        // A connection hears in order: the stranger's has heard all of it when it answers an offer of its own.
        let strangers = CloudRoute.live(space: fixture.otherHome.space, device: stranger.device.id.rawValue)
        async let theirs = fixture.send(
            "POST", strangers, body: Data(Self.offer.utf8), type: "application/sdp", token: fixture.otherHome.token)
        try stranger.say(.answer(id: try await stranger.offer().id, sdp: Self.answer))
        #expect(await theirs.status == 201)
        try camera.say(.answer(id: offer.id, sdp: Self.answer))
        let response = await posted
        #expect(response.text == Self.answer)
        try stranger.say(.sessionEnded(session: offer.session))
        // It has heard that as well once nonsense has ended its connection.
        stranger.link.say("nonsense")
        try await within(.seconds(20), "the stranger's end") { await stranger.serving.value }
        #expect(await fixture.send("DELETE", try #require(response.headers["Location"])).status == 200)
    }

    @Test func aCameraThatIsNotConnectedIsOffline() async throws {
        let response = await post()
        #expect(response.status == 409)
        #expect(response.apiError?.code == .deviceOffline)
        #expect(response.headers["Retry-After"] == "5")
    }

    @Test func aCameraThatVanishesFailsTheOfferAtOnce() async throws {
        let camera = try await fixture.connectedCamera(device)
        async let posted = post()
        _ = try await camera.offer()
        camera.link.vanish()
        // The clock stands still: nothing but the end of the connection can answer.
        let response = await posted
        #expect(response.status == 409)
        #expect(response.apiError?.code == .deviceOffline)
    }

    @Test func aCameraThatConnectsAnewFailsTheOfferAtOnce() async throws {
        let older = try await fixture.connectedCamera(device)
        async let posted = post()
        let offer = try await older.offer()
        let newer = try await fixture.connectedCamera(device)
        #expect(await posted.apiError?.code == .deviceOffline)
        // An answer to it from the new connection is for nobody.
        try newer.say(.answer(id: offer.id, sdp: Self.answer))
        async let second = post()
        try newer.say(.answer(id: try await newer.offer().id, sdp: Self.answer))
        #expect(await second.status == 201)
    }

    @Test func aSilentCameraTimesOut() async throws {
        let camera = try await fixture.connectedCamera(device)
        // Handshake timers that were cancelled no longer sleep; the one that sleeps is the offer's.
        async let posted = post()
        let offer = try await camera.offer()
        await fixture.clock.sleepers(atLeast: 1)
        fixture.clock.advance(by: fixture.configuration.answerDeadline)
        let response = await posted
        #expect(response.status == 504)
        #expect(response.apiError?.code == .deviceTimeout)
        #expect(try await camera.hear() == .endSession(session: offer.session))
        // Too late is as never.
        try camera.say(.answer(id: offer.id, sdp: Self.answer))
        #expect(await fixture.send("DELETE", CloudRoute.liveSession(offer.session)).status == 404)
    }

    @Test func aCameraThatCannotSaysWhy() async throws {
        let camera = try await fixture.connectedCamera(device)
        async let posted = post()
        try camera.say(.failure(id: try await camera.offer().id, reason: "all encoders are busy"))
        let response = await posted
        #expect(response.status == 502)
        #expect(response.apiError?.code == .deviceRefused)
        #expect(response.apiError?.message.contains("all encoders are busy") == true)
    }

    @Test func aViewerThatLeavesGivesTheOfferUp() async throws {
        let camera = try await fixture.connectedCamera(device)
        let request = HTTPRequest(
            method: "POST", path: CloudRoute.live(space: fixture.home.space, device: device.id.rawValue),
            headers: ["Content-Type": "application/sdp", "Authorization": "Bearer \(fixture.home.token.revealed)"],
            body: Data(Self.offer.utf8))
        let posting = Task { [fixture] in await fixture.service.respond(to: request) }
        let offer = try await camera.offer()
        posting.cancel()
        #expect(await posting.value.status == 503)
        #expect(try await camera.hear() == .endSession(session: offer.session))
    }

    @Test func tooManyOffersAreTurnedAway() async throws {
        let camera = try await fixture.connectedCamera(device)
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<CameraHub.mostPendingOffers { group.addTask { await post().status } }
            for _ in 0..<CameraHub.mostPendingOffers {
                do { _ = try await camera.offer() } catch { Issue.record(error) }
            }
            let response = await post()
            #expect(response.status == 503)
            #expect(response.headers["Retry-After"] == "5")
            camera.link.vanish()
            for await status in group { #expect(status == 409) }
        }
    }

    @Test func theOldestViewGivesWay() async throws {
        let camera = try await fixture.connectedCamera(device)
        var locations: [String] = []
        for _ in 0...CameraHub.mostSessions {
            async let posted = post()
            try camera.say(.answer(id: try await camera.offer().id, sdp: Self.answer))
            locations.append(try #require(await posted.headers["Location"]))
        }
        #expect(Set(locations).count == locations.count)
        #expect(await fixture.send("DELETE", locations[0]).status == 404)
        #expect(await fixture.send("DELETE", locations[1]).status == 200)
    }

    @Test func viewsStayKnownWhileTheCameraReconnects() async throws {
        let camera = try await fixture.connectedCamera(device)
        async let posted = post()
        let offer = try await camera.offer()
        try camera.say(.answer(id: offer.id, sdp: Self.answer))
        let location = try #require(await posted.headers["Location"])
        camera.link.vanish()
        await camera.serving.value
        let back = try await fixture.connectedCamera(device)
        #expect(await fixture.send("DELETE", location).status == 200)
        #expect(try await back.hear() == .endSession(session: offer.session))
    }

    @Test func aViewThatEndsWhileTheCameraIsAwayIsToldWhenItIsBack() async throws {
        let camera = try await fixture.connectedCamera(device)
        async let posted = post()
        let offer = try await camera.offer()
        try camera.say(.answer(id: offer.id, sdp: Self.answer))
        let location = try #require(await posted.headers["Location"])
        camera.link.vanish()
        await camera.serving.value
        #expect(await fixture.send("DELETE", location).status == 200)
        #expect(await fixture.send("DELETE", location).status == 404)
        // A connection that ends before its welcome does not take the news along.
        await fixture.cameras.disconnect(await fixture.cameras.connect(device.id, by: TestLink()))
        let back = try await fixture.connectedCamera(device)
        #expect(try await back.hear() == .endSession(session: offer.session))
        back.link.vanish()
        await back.serving.value
        // Told once: the next thing that it hears after another return is an offer.
        let again = try await fixture.connectedCamera(device)
        async let second = post()
        try again.say(.answer(id: try await again.offer().id, sdp: Self.answer))
        #expect(await second.status == 201)
    }

    @Test func whatACameraIsStillToHearIsBounded() async throws {
        let camera = try await fixture.connectedCamera(device)
        var sessions: [String] = []
        for _ in 0..<CameraHub.mostSessions {
            async let posted = post()
            let offer = try await camera.offer()
            try camera.say(.answer(id: offer.id, sdp: Self.answer))
            #expect(await posted.status == 201)
            sessions.append(offer.session)
        }
        let waiting = Task { [fixture, device] in try await fixture.cameras.openLive(device.id, offer: Self.offer) }
        sessions.append(try await camera.offer().session)
        // The link fails, and the service has not noticed.
        camera.link.fail()
        for session in sessions.dropLast() { #expect(await fixture.cameras.endLive(session)) }
        waiting.cancel()
        await #expect(throws: CameraHub.LiveFailure.cancelled) { _ = try await waiting.value }
        let back = try await fixture.connectedCamera(device)
        for session in sessions.dropFirst() { #expect(try await back.hear() == .endSession(session: session)) }
    }

    @Test(arguments: [nil, "text/plain", "application/json", "application/trickle-ice-sdpfrag"])
    func onlySdpIsTaken(_ type: String?) async throws {
        let response = await post(type: type)
        #expect(response.status == 415)
        #expect(response.apiError?.code == .unsupportedMediaType)
    }

    @Test(arguments: ["", "hello", "{\"sdp\": \"v=0\"}"])
    func whatIsNoSessionDescriptionIsRefused(_ body: String) async throws {
        let response = await post(body)
        #expect(response.status == 400)
        #expect(response.apiError?.field == "sdp")
    }

    @Test func aLongOfferIsTakenAndALongerOneIsNot() async throws {
        let camera = try await fixture.connectedCamera(device)
        let longest = "v=0" + String(repeating: "x", count: Route.Body.sdp.limit - 3)
        async let posted = post(longest)
        let offer = try await camera.offer()
        #expect(offer.sdp == longest)
        try camera.say(.answer(id: offer.id, sdp: Self.answer))
        #expect(await posted.status == 201)
        #expect(await post(longest + "x").status == 413)
    }

    @Test func optionsSayWhatIsTaken() async throws {
        let live = await fixture.send(
            "OPTIONS", CloudRoute.live(space: fixture.home.space, device: device.id.rawValue))
        #expect(live.status == 200)
        #expect(live.headers["Accept-Post"] == "application/sdp")
        #expect(live.headers["Access-Control-Allow-Origin"] == "*")
        #expect(live.headers["Access-Control-Allow-Methods"] == "OPTIONS, POST")
        #expect(live.headers["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
        #expect(live.headers["Access-Control-Expose-Headers"]?.contains("Location") == true)
        let session = await fixture.send("OPTIONS", CloudRoute.liveSession("any"))
        #expect(session.status == 200)
        #expect(session.headers["Access-Control-Allow-Methods"] == "DELETE, OPTIONS")
    }

    @Test(arguments: ["GET", "HEAD", "PATCH", "PUT"])
    func otherMethodsAreRefusedReadablyForOtherOrigins(_ method: String) async throws {
        for path in [
            CloudRoute.live(space: fixture.home.space, device: device.id.rawValue), CloudRoute.liveSession("any"),
        ] {
            let response = await fixture.send(method, path, token: fixture.home.token)
            #expect(response.status == 405)
            #expect(response.headers["Access-Control-Allow-Origin"] == "*")
            #expect(response.headers["Allow"] != nil)
        }
    }

    @Test func routesThatAreNotForOtherOriginsDoNotSaySo() async throws {
        let response = await fixture.send(
            "GET", CloudRoute.devices(space: fixture.home.space), token: fixture.home.token)
        #expect(response.status == 200)
        #expect(response.headers["Access-Control-Allow-Origin"] == nil)
    }
}
