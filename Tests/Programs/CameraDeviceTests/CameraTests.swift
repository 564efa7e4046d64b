import Basics
import CoreBluetooth
import Foundation
import TestSupport
import Testing
import WebRTC
import WebSockets
import Wire

@testable import CameraDevice

@Suite(.serialized) struct CameraTests {
    @Test func isPairedThenShowsAndStops() async throws {
        let viewer = try Viewer()
        let offer = try await viewer.offer()
        let cloud = try await FakeCloud.friendly { link, _ in
            try await link.welcome()
            try link.send(.offer(id: "1", session: "canary-session", sdp: offer, iceServers: [], deadline: 10_000))
            guard case .answer("1", let sdp) = try await link.next() else { return }
            try await viewer.take(answer: sdp)
            await link.drain()
        }
        let fixture = try CameraFixture(cloud) { $0.clock = ContinuousClock() }
        try await fixture.camera.start()
        try await fixture.write(Samples.credentials())
        try await fixture.event(.viewerJoined(viewers: 1))
        _ = try await viewer.frames(3)
        #expect(try await viewer.message { _ in true } == .rssi(-48))
        await fixture.stop()
        #expect(try await viewer.message { $0 == .streamEnded(reason: "The camera was switched off.") } != nil)
        await viewer.close()

        let name = try #require(await fixture.name)
        let wanted: [CameraEvent] = [
            .filming("a test pattern"), .networks(SimulatedNetworks().summary), .advertising(name: name),
            .clientConnected,
            .credentialsReceived(ssid: "Porchlight Demo"),
            .joining(ssid: "Porchlight Demo"), .joined(ssid: "Porchlight Demo"), .registered(name: "Porch"), .online,
            .viewerJoined(viewers: 1), .viewerLeft(viewers: 0),
        ]
        #expect(
            fixture.all.filter {
                if case .setupCode = $0 { false } else { $0 != .clientDisconnected }
            } == wanted)
        let shown = fixture.all.map { "\($0) \(String(reflecting: $0))" }.joined()
        #expect(!shown.contains("canary"), "the session's id authorises its end")
        // Nothing is left: the directory is free, and the air is empty.
        _ = try StateDirectory(path: fixture.directory.path("camera"))
        let air = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path("air"))
        #expect(!air.contains { $0.hasSuffix(".radio") })
    }

    @Test func aPairedCameraGoesStraightToItsCloud() async throws {
        let fixture = try CameraFixture(try await FakeCloud.friendly())
        try await fixture.camera.start()
        try await fixture.write(Samples.credentials())
        try await fixture.event(.online)
        let first = await fixture.camera.deviceID
        await fixture.camera.stop()

        let again = try CameraFixture(fixture.cloud, directory: fixture.directory)
        try await again.camera.start()
        try await again.event(.online)
        #expect(await again.camera.deviceID == first)
        let wanted: [CameraEvent] = [.filming("a test pattern"), .networks(SimulatedNetworks().summary), .online]
        #expect(again.all == wanted, "a paired camera must not advertise")
        #expect(again.cloud.requests.count == 1, "it must not register again")
        await again.stop()
    }

    @Test func aWrongPasswordIsToldEverywhereAndCanBeMended() async throws {
        let fixture = try CameraFixture(try await FakeCloud.friendly())
        try await fixture.camera.start()
        try await fixture.write(Samples.credentials(password: "not the one"))
        try await fixture.event(.pairingFailed(.wrongPassword))
        let sighting = try await within(.seconds(20), "the failure in the advertisement") {
            await fixture.central.sightings.first { $0.state?.phase == .failed }
        }
        #expect(sighting?.state?.failure == .wrongPassword)
        // The clients that are there are told first.
        let arrival = try await within(.seconds(20), "the report to the cloud") {
            await fixture.cloud.arrivals.first { _ in true }
        }
        let report = try #require(arrival)
        #expect(report.path == CloudRoute.pairingFailures)
        #expect(
            try JSONDecoder().decode(PairingFailureReport.self, from: report.body)
                == PairingFailureReport(sessionKey: Secret(Samples.sessionKey), failure: .wrongPassword))
        #expect(!FileManager.default.fileExists(atPath: fixture.directory.path("camera/registration.json")))
        try await within(.seconds(20), "the second attempt") {
            try await fixture.central.connect()
            try await fixture.central.write(Samples.credentials())
        }
        try await fixture.event(.online)
        await fixture.stop()
    }

    @Test func aKeyThatIsRefusedFailsThePairing() async throws {
        let cloud = try await FakeCloud.start { _, _ in FakeCloud.error(410, .sessionKeyExpired) }
        let fixture = try CameraFixture(cloud)
        try await fixture.camera.start()
        try await fixture.write(Samples.credentials())
        try await fixture.event(.pairingFailed(.keyRefused))
        #expect(fixture.cloud.requests.map(\.path) == [CloudRoute.registrations], "the cloud knows already")
        await fixture.stop()
    }

    @Test func anUnknownDestinationFailsBeforeAnythingIsJoined() async throws {
        let fixture = try await CameraFixture.knowingOnePlace()
        try await fixture.camera.start()
        try await fixture.write(Samples.credentials(environment: .staging))
        try await fixture.event(.pairingFailed(.unknownDestination))
        #expect(fixture.cloud.requests.isEmpty)
        await fixture.stop()
    }

    @Test func aRemovedCameraWaitsToBePairedAgain() async throws {
        let cloud = try await FakeCloud.friendly { link, number in
            guard number == 0 else { return try await link.welcome() }
            _ = try await link.next()
            try link.send(.refused(APIError(code: .notFound, message: "no such device")))
            await link.drain()
        }
        let fixture = try CameraFixture(cloud)
        try await fixture.camera.start()
        try await fixture.write(Samples.credentials())
        try await fixture.event(.removed)
        try await fixture.event("advertising") { if case .advertising = $0 { true } else { false } }
        #expect(!FileManager.default.fileExists(atPath: fixture.directory.path("camera/registration.json")))
        await fixture.stop()
    }

    @Test func aCameraThatCannotGoOnLetsGoAndEndsItsEvents() async throws {
        let directory = try TemporaryDirectory()
        let registration = directory.path("camera/registration.json")
        let cloud = try await FakeCloud.friendly { link, _ in
            _ = try await link.next()
            // A directory cannot be removed as a file, not even by root.
            try FileManager.default.removeItem(atPath: registration)
            try FileManager.default.createDirectory(atPath: registration, withIntermediateDirectories: false)
            try link.send(.refused(APIError(code: .notFound, message: "no such device")))
            await link.drain()
        }
        // With the real clock the pairing service still says goodbye when the camera fails.
        let fixture = try CameraFixture(cloud, directory: directory) { $0.clock = ContinuousClock() }
        try await fixture.camera.start()
        try await fixture.write(Samples.credentials())
        try await within(.seconds(30), "the end of the events") { await fixture.ended() }
        guard case .failed(.fileFailed(registration, _)) = fixture.all.last else {
            Issue.record("\(fixture.all)")
            return
        }
        // Without a stop.
        _ = try StateDirectory(path: directory.path("camera"))
        let air = try FileManager.default.contentsOfDirectory(atPath: directory.path("air"))
        #expect(!air.contains { $0.hasSuffix(".radio") })
        #expect(await fixture.camera.deviceID == nil)
        await fixture.stop()
    }

    @Test func errorsAtTheStartSayWhatToDo() async throws {
        let cloud = try await FakeCloud.start()
        let inUse = try CameraFixture(cloud)
        let holder = try StateDirectory(path: inUse.directory.path("camera"))
        await #expect(throws: CameraError.stateDirectoryInUse(path: holder.path)) { try await inUse.camera.start() }
        let model = try CameraFixture(cloud) { $0.model = String(repeating: "x", count: 33) }
        await #expect(throws: CameraError.badModelName) { try await model.camera.start() }
        let lens = try CameraFixture(cloud) { $0.videoInput = .device(path: "/dev/no-such-lens") }
        await #expect(throws: CameraError.noVideo(reason: "there is no /dev/no-such-lens")) {
            try await lens.camera.start()
        }
        let hole = try CameraFixture(cloud) { $0.videoInput = .device(path: "/dev/null") }
        await #expect(throws: CameraError.noVideo(reason: "/dev/null: it is no camera")) {
            try await hole.camera.start()
        }
        // None kept its directory.
        _ = try StateDirectory(path: lens.directory.path("camera"))
        _ = try StateDirectory(path: hole.directory.path("camera"))
        for fixture in [inUse, model, lens, hole] { await fixture.stop() }
    }

    @Test func startsOnceAndStopsAnyTime() async throws {
        let fixture = try CameraFixture(try await FakeCloud.friendly())
        try await fixture.camera.start()
        await #expect(throws: CameraError.alreadyStarted) { try await fixture.camera.start() }
        await fixture.stop()
        await fixture.camera.stop()
        await #expect(throws: CameraError.alreadyStarted) { try await fixture.camera.start() }
        let untouched = try CameraFixture(fixture.cloud)
        await untouched.stop()
    }

    @Test func stopsInTheMiddleOfPairing() async throws {
        let cloud = try await FakeCloud.start { _, _ in
            try? await Task.sleep(for: .seconds(600))
            return HTTPResponse(status: 500)
        }
        let fixture = try CameraFixture(cloud) { $0.clock = ContinuousClock() }
        try await fixture.camera.start()
        try await fixture.write(Samples.credentials())
        try await fixture.event(.joined(ssid: "Porchlight Demo"))
        try await within(.seconds(20), "the stop") { await fixture.stop() }
        #expect(!FileManager.default.fileExists(atPath: fixture.directory.path("camera/registration.json")))
    }

    @Test func noSecretIsEverShown() async throws {
        let password = "canary-password-7391"
        let sessionKey = "canary-session-key-7391"
        let cloud = try await FakeCloud.start { request, _ in
            // What the cloud repeats must not be repeated either.
            FakeCloud.json(
                404, APIError(code: .sessionKeyUnknown, message: String(decoding: request.body, as: UTF8.self)))
        }
        let network = SimulatedNetworks.Network("Home", security: .wpa2, password: password, rssi: -40)
        let fixture = try CameraFixture(cloud) { $0.networks = SimulatedNetworks([network], delays: .none) }
        try await fixture.camera.start()
        let credentials = try Samples.credentials(ssid: "Home", password: password, sessionKey: sessionKey)
        try await fixture.write(credentials)
        try await fixture.event(.pairingFailed(.keyRefused))
        var shown = fixture.all.map { "\($0) \(String(reflecting: $0))" }.joined()
        var rules = try PairingRules.sample()
        let client = UUID()
        dump(try rules.write(credentials.ssid, to: .ssid, by: client), to: &shown)
        dump(try rules.write(Data(password.utf8), to: .password, by: client), to: &shown)
        dump(try rules.write(Data(sessionKey.utf8), to: .sessionKey, by: client), to: &shown)
        dump(try rules.write(Data("us".utf8), to: .region, by: client), to: &shown)
        dump(rules, to: &shown)
        dump(try rules.write(Data("dev".utf8), to: .environment, by: client), to: &shown)
        dump(PairingPeripheral.Output.credentials(credentials), to: &shown)
        dump(network, to: &shown)
        #expect(!shown.isEmpty)
        #expect(!shown.contains("canary"))
        await fixture.stop()
    }

    @Test func theSourceOfPicturesIsNamed() {
        let pattern = RTCVideoSourceSettings(capture: .testPattern(name: "Porch"))
        let device = RTCVideoSourceSettings(capture: .device(path: "/dev/video0"))
        func shown(_ settings: RTCVideoSourceSettings, _ input: CameraConfiguration.VideoInput) -> String {
            "\(CameraEvent.filming(VideoCapture.source(of: settings, for: input)))"
        }
        #expect(shown(device, .automatic) == "filming /dev/video0")
        #expect(shown(device, .device(path: "/dev/video0")) == "filming /dev/video0")
        #expect(shown(pattern, .automatic) == "filming a test pattern: there is no /dev/video0")
        #expect(shown(pattern, .testPattern) == "filming a test pattern")
    }

    @Test func aHostileNetworkNameCannotControlATerminal() throws {
        let credentials = try PairingCredentials(
            ssid: Data([0x1B, 0x5B, 0x32, 0x4A, 0xFF, 0x0A, 0x41]), password: Secret(""),
            sessionKey: Secret(Samples.sessionKey), region: .us, environment: .dev)
        #expect(credentials.networkName == "\u{FFFD}[2J\u{FFFD}\u{FFFD}A")
    }
}
