import Basics
import Foundation
import TestSupport
import Testing
import WebRTC
import Wire

@testable import CameraDevice

/// Sensors that always read the same.
private struct FixedSensors: CameraSensors {
    func temperature() async -> Int? { 21 }
    func humidity() async -> Int? { 45 }
}

/// A camera's live part with a running test pattern.
private final class LiveFixture: Sendable {
    let clock: any Clock<Duration>
    let sessions: LiveSessions
    private let capture: VideoCapture
    private let running: Task<Void, Never>

    init(clock: any Clock<Duration> = ContinuousClock(), limits: CameraConfiguration.Limits = .init()) throws {
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        var configuration = CameraConfiguration(
            stateDirectory: "/nowhere", destinations: try CameraDestinations(everywhere: url), clock: clock)
        configuration.videoInput = .testPattern
        configuration.video.width = 320
        configuration.video.height = 240
        configuration.video.framesPerSecond = 15
        configuration.limits = limits
        configuration.sensors = FixedSensors()
        let factory = RTCPeerConnectionFactory()
        let random = SharedRandom(SeededGenerator(1))
        var settings = try VideoCapture.settings(for: configuration, name: "Porch <b>&")
        // None comes by itself while a test waits.
        settings.keyFrameInterval = .seconds(3600)
        let capture = VideoCapture(factory, settings: settings, clock: ContinuousClock(), random: random)
        self.capture = capture
        self.clock = clock
        sessions = LiveSessions(factory, capture: capture, configuration: configuration)
        running = Task { await capture.run {} }
    }

    /// Ends everything, and checks that nothing is left.
    func stop() async {
        await sessions.close(reason: "The test is over.")
        #expect(await sessions.count == 0)
        running.cancel()
        await running.value
        #expect(!capture.isLive)
    }

    func event() async throws -> LiveSessions.Event? {
        try await within(.seconds(30), "an event") { [sessions] in await sessions.events.first { _ in true } }
    }
}

@Suite(.serialized) struct LiveSessionsTests {
    @Test func viewersSeePicturesAndMeasurements() async throws {
        let fixture = try LiveFixture()
        let viewer = try Viewer()
        try await viewer.watch(fixture.sessions, as: "1")
        #expect(try await fixture.event() == .joined(session: "1", viewers: 1))
        #expect(try await viewer.frames(5) == CGSize(width: 320, height: 240))
        #expect(try await viewer.message { _ in true } == .rssi(-48))
        #expect(try await viewer.message { _ in true } == .temperature(21))
        #expect(try await viewer.message { _ in true } == .humidity(45))
        await viewer.close()
        await fixture.stop()
    }

    @Test func aSecondViewerDoesNotWaitForTheNextKeyFrame() async throws {
        let fixture = try LiveFixture()
        let first = try Viewer()
        try await first.watch(fixture.sessions, as: "1")
        _ = try await first.frames(3)
        let second = try Viewer()
        try await second.watch(fixture.sessions, as: "2")
        _ = try await second.frames(1)
        _ = try await first.frames(3)
        #expect(await fixture.sessions.count == 2)
        await first.close()
        await second.close()
        await fixture.stop()
    }

    @Test func measurementsGoOn() async throws {
        let clock = ManualClock()
        let fixture = try LiveFixture(clock: clock)
        let viewer = try Viewer()
        try await viewer.watch(fixture.sessions, as: "1")
        _ = try await viewer.message { $0 == .humidity(45) }
        // The measuring and, until media flows, the patience with the set-up.
        _ = try await fixture.event()
        try await within { await clock.sleepers() }
        clock.advance(by: .seconds(5))
        #expect(try await viewer.message { $0 == .rssi(-48) } != nil)
        await viewer.close()
        await fixture.sessions.end("1")
        await fixture.stop()
    }

    @Test func goodbyeEndsTheSession() async throws {
        let fixture = try LiveFixture()
        let viewer = try Viewer()
        try await viewer.watch(fixture.sessions, as: "1")
        _ = try await viewer.message { _ in true }
        #expect(try await fixture.event() == .joined(session: "1", viewers: 1))
        viewer.send(.goodbye)
        #expect(try await fixture.event() == .left(session: "1", viewers: 0))
        #expect(try await fixture.event() == .ended(session: "1"))
        #expect(await fixture.sessions.count == 0)
        await viewer.close()
        await fixture.stop()
    }

    @Test func theCloudEndsASession() async throws {
        let fixture = try LiveFixture()
        let viewer = try Viewer()
        try await viewer.watch(fixture.sessions, as: "1")
        #expect(try await fixture.event() == .joined(session: "1", viewers: 1))
        await fixture.sessions.end("1")
        await fixture.sessions.end("unknown")
        // It knows; it is not told.
        #expect(try await fixture.event() == .left(session: "1", viewers: 0))
        #expect(await fixture.sessions.count == 0)
        let again = try Viewer()
        try await again.watch(fixture.sessions, as: "2")
        #expect(try await fixture.event() == .joined(session: "2", viewers: 1))
        await viewer.close()
        await again.close()
        await fixture.stop()
    }

    @Test func viewersAreToldBeforeTheEnd() async throws {
        let fixture = try LiveFixture()
        let viewer = try Viewer()
        try await viewer.watch(fixture.sessions, as: "1")
        _ = try await viewer.message { _ in true }
        _ = try await fixture.event()
        await fixture.stop()
        #expect(try await viewer.message { $0 == .streamEnded(reason: "The test is over.") } != nil)
        let late = try await Viewer().offer()
        let refusal = await fixture.sessions.answer(to: Viewer.offer("late", late))
        #expect(refusal == .failure(LiveRefusal(reason: "The camera is stopping.")))
        await viewer.close()
    }

    @Test func placesAreLimitedAndGivenBack() async throws {
        var limits = CameraConfiguration.Limits()
        limits.viewers = 1
        let fixture = try LiveFixture(limits: limits)
        let first = try Viewer()
        try await first.watch(fixture.sessions, as: "1")
        let second = try Viewer()
        let offer = try await second.offer()
        guard case .failure = await fixture.sessions.answer(to: Viewer.offer("2", offer)) else {
            Issue.record("one too many")
            return
        }
        await fixture.sessions.end("1")
        try await second.take(answer: fixture.sessions.answer(to: Viewer.offer("2", offer)).get())
        _ = try await second.frames(1)
        await first.close()
        await second.close()
        await fixture.stop()
    }

    @Test(arguments: [
        "", "v=0", "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n", String(repeating: "a=x\r\n", count: 40_000),
        "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\nm=video 9 UDP/TLS/RTP/SAVPF 999999\r\n",
    ])
    func aBadOfferIsRefusedAndGivesItsPlaceBack(sdp: String) async throws {
        let fixture = try LiveFixture()
        guard case .failure(let refusal) = await fixture.sessions.answer(to: Viewer.offer("1", sdp)) else {
            Issue.record("it was answered")
            return
        }
        #expect(!refusal.reason.isEmpty)
        #expect(await fixture.sessions.count == 0)
        await fixture.stop()
    }

    @Test func anOfferWithoutVideoIsRefused() async throws {
        let fixture = try LiveFixture()
        let viewer = try Viewer(video: false)
        let offer = try await viewer.offer()
        guard case .failure = await fixture.sessions.answer(to: Viewer.offer("1", offer)) else {
            Issue.record("it was answered")
            return
        }
        #expect(await fixture.sessions.count == 0)
        await viewer.close()
        await fixture.stop()
    }

    @Test func anAnsweredViewerThatNeverComesIsForgotten() async throws {
        let clock = ManualClock()
        let fixture = try LiveFixture(clock: clock)
        let viewer = try Viewer()
        _ = try await fixture.sessions.answer(to: Viewer.offer("1", viewer.offer())).get()
        #expect(await fixture.sessions.count == 1)
        try await within { await clock.sleepers() }
        clock.advance(by: LiveSessions.connectLimit)
        #expect(try await fixture.event() == .ended(session: "1"))
        #expect(await fixture.sessions.count == 0)
        await viewer.close()
        await fixture.stop()
    }

    @Test func aDeadlineThatPassedIsAFailure() async throws {
        let fixture = try LiveFixture()
        let viewer = try Viewer()
        let offer = try await viewer.offer()
        for deadline in [Duration.zero, .milliseconds(201)] {
            guard case .failure = await fixture.sessions.answer(to: Viewer.offer("1", offer, deadline: deadline)) else {
                Issue.record("it was answered")
                continue
            }
            #expect(await fixture.sessions.count == 0)
        }
        await viewer.close()
        await fixture.stop()
    }

    @Test func oneSessionIsNotBegunTwice() async throws {
        let fixture = try LiveFixture()
        let viewer = try Viewer()
        let offer = try await viewer.offer()
        async let first = fixture.sessions.answer(to: Viewer.offer("1", offer))
        async let second = fixture.sessions.answer(to: Viewer.offer("1", offer))
        let answers = await [first, second].filter { (try? $0.get()) != nil }
        #expect(answers.count == 1)
        #expect(await fixture.sessions.count == 1)
        await viewer.close()
        await fixture.stop()
    }
}
