import Basics
import CryptoKit
import Foundation
import TestSupport
import Testing
import WebSockets
import Wire

@testable import CameraDevice

/// Records what a socket reports.
private final class Recorder: CameraSocketHandler {
    enum Report: Sendable, Equatable {
        case online
        case offline(Duration)
        case ended(String)
    }

    let reports: AsyncStream<Report>
    private let yield: AsyncStream<Report>.Continuation
    private let answer: @Sendable (LiveOffer) async -> Result<String, LiveRefusal>
    private let tearDown: @Sendable () async -> Void

    init(
        answer: @escaping @Sendable (LiveOffer) async -> Result<String, LiveRefusal> = {
            .success("answer to " + $0.sdp)
        }, tearDown: @escaping @Sendable () async -> Void = {}
    ) {
        (reports, yield) = AsyncStream.makeStream()
        self.answer = answer
        self.tearDown = tearDown
    }

    func socketCameOnline() async { yield.yield(.online) }
    func socketWentOffline(reason: String, retryIn wait: Duration) async { yield.yield(.offline(wait)) }
    func answer(to offer: LiveOffer) async -> Result<String, LiveRefusal> { await answer(offer) }
    func sessionEnded(_ session: String) async {
        await tearDown()
        yield.yield(.ended(session))
    }
}

@Suite struct CameraSocketTests {
    private let identity: CameraIdentity
    private let clock = ManualClock()
    private let recorder = Recorder()

    init() throws { identity = try Samples.identity() }

    private func socket(_ cloud: FakeCloud, _ handler: (any CameraSocketHandler)? = nil) -> CameraSocket {
        CameraSocket(
            cloud: cloud.url, identity: identity, clock: clock,
            random: SharedRandom(ConstantGenerator(value: .max)), handler: handler ?? recorder)
    }

    private func reports(_ count: Int) async throws -> [Recorder.Report] {
        try await within(.seconds(20), "\(count) reports") { [recorder] in
            var reports: [Recorder.Report] = []
            for await report in recorder.reports {
                reports.append(report)
                if reports.count == count { break }
            }
            return reports
        }
    }

    private func offer(_ id: String, _ sdp: String = "sdp") -> CloudSocketMessage {
        .offer(id: id, session: "session " + id, sdp: sdp, iceServers: [], deadline: 10_000)
    }

    /// Runs a socket against a conversation of which the last word is checked.
    private func run(
        handler: (any CameraSocketHandler)? = nil, _ converse: @escaping @Sendable (FakeCameraLink) async throws -> Void
    ) async throws {
        let (outcomes, outcome) = AsyncStream<Result<Void, any Error>>.makeStream()
        let cloud = try await FakeCloud.start(converse: { link, number in
            guard number == 0 else { return await link.drain() }
            do {
                outcome.yield(.success(try await converse(link)))
            } catch {
                outcome.yield(.failure(error))
            }
            await link.drain()
        })
        let socket = socket(cloud, handler)
        let running = Task { await socket.run() }
        let result = try await within(.seconds(20), "the end of the conversation") {
            await outcomes.first { _ in true }
        }
        running.cancel()
        #expect(try await within { await running.value } == .stopped)
        await cloud.stop()
        try #require(result).get()
    }

    @Test func provesItsKey() async throws {
        let identity = identity
        try await run { [self] link in
            #expect(try await link.next() == .hello(deviceId: identity.deviceID, version: 1))
            let nonce = Data((0..<32).map { UInt8($0) })
            try link.send(.challenge(nonce: nonce))
            guard case .proof(let signature) = try await link.next() else {
                Issue.record("no proof")
                return
            }
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: identity.publicKey)
            let signed = CameraSocketMessage.signedBytes(deviceId: identity.deviceID, nonce: nonce)
            #expect(key.isValidSignature(signature, for: signed))
            try link.send(.welcome(keepAlive: 55))
            // Before the end of the conversation, which stops the socket whether or not it has read the welcome.
            #expect(try await reports(1) == [.online])
        }
    }

    @Test func answersOffersAndRefusals() async throws {
        let handler = Recorder { offer in
            offer.sdp == "bad" ? .failure(LiveRefusal(reason: "because")) : .success("answer to " + offer.sdp)
        }
        try await run(handler: handler) { link in
            try await link.welcome()
            try link.send(offer("1", "good"))
            #expect(try await link.next() == .answer(id: "1", sdp: "answer to good"))
            try link.send(offer("2", "bad"))
            #expect(try await link.next() == .failure(id: "2", reason: "because"))
        }
    }

    @Test func aSlowAnswerHoldsUpNoOther() async throws {
        let (releases, release) = AsyncStream<Void>.makeStream()
        let handler = Recorder { offer in
            if offer.id == "slow" { for await _ in releases { break } }
            return .success(offer.id)
        }
        try await run(handler: handler) { link in
            try await link.welcome()
            try link.send(offer("slow"))
            try link.send(offer("quick"))
            #expect(try await link.next() == .answer(id: "quick", sdp: "quick"))
            release.yield()
            #expect(try await link.next() == .answer(id: "slow", sdp: "slow"))
        }
    }

    @Test func aFloodOfOffersIsRefused() async throws {
        let handler = Recorder { _ in
            try? await Task.sleep(for: .seconds(60))
            return .failure(LiveRefusal(reason: "late"))
        }
        try await run(handler: handler) { link in
            try await link.welcome()
            for number in 0...CameraSocket.offersUnderWay { try link.send(offer("\(number)")) }
            guard case .failure(let id, _) = try await link.next() else {
                Issue.record("no refusal")
                return
            }
            #expect(id == "\(CameraSocket.offersUnderWay)")
        }
    }

    @Test(arguments: [
        "", "{", "null", #"{"type":"unheard of"}"#, #"{"type":"offer"}"#, #"{"type":"welcome","keepAlive":-1}"#,
        #"{"type":"challenge","nonce":"AA=="}"#, #"{"type":"endSession","session":7}"#,
    ])
    func afterTheWelcomeNonsenseIsPassedOver(text: String) async throws {
        try await run { link in
            try await link.welcome()
            try link.send(text: text)
            try link.send(offer("1"))
            #expect(try await link.next() == .answer(id: "1", sdp: "answer to sdp"))
        }
    }

    @Test(arguments: ["{", #"{"type":"unheard of"}"#, #"{"type":"endSession","session":"1"}"#])
    func beforeTheWelcomeNonsenseEndsTheConnection(text: String) async throws {
        try await run { link in
            _ = try await link.next()
            try link.send(text: text)
            await #expect(throws: FakeCameraLink.Ended.self) { try await link.next() }
        }
        #expect(try await reports(1) == [.offline(.seconds(1))])
    }

    @Test func aSessionThatEndedIsHandedOn() async throws {
        try await run { link in
            try await link.welcome()
            try link.send(.endSession(session: "7"))
            try link.send(offer("1"))
            _ = try await link.next()
        }
        #expect(try await reports(2) == [.online, .ended("7")])
    }

    @Test func aSlowEndHoldsUpTheStopAndNothingElse() async throws {
        let (releases, release) = AsyncStream<Void>.makeStream()
        let (stages, stage) = AsyncStream<String>.makeStream()
        let isThrough = Locked(false)
        let handler = Recorder(tearDown: {
            for await _ in releases { break }
            // A stop that does not wait gets its chance to be first.
            for _ in 0..<1000 { await Task.yield() }
            isThrough.withLock { $0 = true }
        })
        let cloud = try await FakeCloud.start(converse: { link, _ in
            try await link.welcome()
            try link.send(.endSession(session: "7"))
            try link.send(self.offer("1"))
            if try await link.next() == .answer(id: "1", sdp: "answer to sdp") { stage.yield("answered") }
            await link.drain()
            stage.yield("gone")
        })
        let socket = socket(cloud, handler)
        let running = Task { await socket.run() }
        let first = try await within(.seconds(20), "an answer during the end") { await stages.first { _ in true } }
        #expect(first == "answered")
        #expect(isThrough.withLock { !$0 })
        running.cancel()
        _ = try await within(.seconds(20), "the end of the connection") { await stages.first { _ in true } }
        release.yield()
        #expect(try await within { await running.value } == .stopped)
        #expect(isThrough.withLock { $0 })
        await cloud.stop()
    }

    @Test func aSessionThatEndsHereIsTold() async throws {
        let (messages, message) = AsyncStream<CameraSocketMessage>.makeStream()
        let cloud = try await FakeCloud.start(converse: { link, _ in
            try await link.welcome()
            message.yield(try await link.next())
            await link.drain()
        })
        let socket = socket(cloud)
        let running = Task { await socket.run() }
        #expect(try await reports(1) == [.online])
        socket.send(sessionEnded: "9")
        let told = try await within { await messages.first { _ in true } }
        #expect(told == .sessionEnded(session: "9"))
        running.cancel()
        _ = await running.value
        await cloud.stop()
    }

    @Test func aDeviceThatIsNotKnownWasRemoved() async throws {
        let cloud = try await FakeCloud.start(converse: { link, _ in
            _ = try await link.next()
            try link.send(.refused(APIError(code: .notFound, message: "no such device")))
            await link.drain()
        })
        let socket = socket(cloud)
        #expect(try await within { await socket.run() } == .removed)
        await cloud.stop()
    }

    @Test(arguments: [APIError.Code.unavailable, .internalFault, .badSignature, .init(rawValue: "new")])
    func anyOtherRefusalIsTriedAgain(code: APIError.Code) async throws {
        let cloud = try await FakeCloud.start(converse: { link, _ in
            _ = try await link.next()
            try link.send(.refused(APIError(code: code, message: "not now")))
            await link.drain()
        })
        let socket = socket(cloud)
        let running = Task { await socket.run() }
        #expect(try await reports(1) == [.offline(.seconds(1))])
        running.cancel()
        #expect(await running.value == .stopped)
        await cloud.stop()
    }

    @Test func goAwayChoosesTheMomentOfReturn() async throws {
        let cloud = try await FakeCloud.start(converse: { link, number in
            try await link.welcome()
            if number == 0 { try link.send(.goAway(retryAfter: 7_500)) }
            await link.drain()
        })
        let socket = socket(cloud)
        let running = Task { await socket.run() }
        #expect(try await reports(2) == [.online, .offline(.milliseconds(7_500))])
        await clock.sleepers()
        clock.advance(by: .milliseconds(7_500))
        #expect(try await reports(1) == [.online])
        running.cancel()
        _ = await running.value
        await cloud.stop()
    }

    @Test func theCloudMayAskForANewConnection() async throws {
        let cloud = try await FakeCloud.start(converse: { link, _ in
            try await link.welcome()
            guard case .sessionEnded(let session) = try await link.next() else { return }
            link.close(code: session == "again" ? 4003 : 1011)
        })
        let socket = socket(cloud)
        let running = Task { await socket.run() }
        #expect(try await reports(1) == [.online])
        clock.advance(by: CameraSocket.leastConnection)
        socket.send(sessionEnded: "again")
        #expect(try await reports(2) == [.offline(.zero), .online])
        // Asked for in the same moment, it is a failure like others.
        socket.send(sessionEnded: "again")
        #expect(try await reports(1) == [.offline(.seconds(1))])
        running.cancel()
        _ = await running.value
        await cloud.stop()
    }

    @Test func aMessageOverTheLimitEndsTheConnection() async throws {
        let cloud = try await FakeCloud.start(converse: { link, number in
            try await link.welcome()
            if number == 0 {
                try link.send(text: String(repeating: " ", count: CameraSocket.maximumMessageBytes + 1))
            }
            await link.drain()
        })
        let socket = socket(cloud)
        let running = Task { await socket.run() }
        #expect(try await reports(2) == [.online, .offline(.seconds(1))])
        running.cancel()
        _ = await running.value
        await cloud.stop()
    }

    @Test func waitsDoubleWithFullJitter() async throws {
        let cloud = try await FakeCloud.start()
        await cloud.stop()
        let socket = socket(cloud)
        let running = Task { await socket.run() }
        for interval in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            guard case .offline(let wait) = try await reports(1).first else {
                Issue.record("not offline")
                break
            }
            #expect(abs(wait / .seconds(1) - Double(interval)) < 0.001)
            await clock.sleepers()
            clock.advance(by: wait)
        }
        running.cancel()
        _ = await running.value
    }

    @Test func aShortConnectionDoesNotResetTheWaits() async throws {
        let cloud = try await FakeCloud.start(converse: { link, number in
            try await link.welcome()
            if number == 2 {
                // The third lasts: the test moves the clock and then asks for the end.
                guard case .sessionEnded = try await link.next() else { return }
            }
            link.close(code: 1011)
        })
        let socket = socket(cloud)
        let running = Task { await socket.run() }
        #expect(try await reports(2) == [.online, .offline(.seconds(1))])
        await clock.sleepers()
        clock.advance(by: .seconds(1))
        #expect(try await reports(2) == [.online, .offline(.seconds(2))])
        await clock.sleepers()
        clock.advance(by: .seconds(2))
        #expect(try await reports(1) == [.online])
        clock.advance(by: CameraSocket.goodConnection)
        socket.send(sessionEnded: "end")
        #expect(try await reports(1) == [.offline(.seconds(1))])
        running.cancel()
        _ = await running.value
        await cloud.stop()
    }

    @Test func aSilentCloudIsGivenUp() async throws {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let cloud = try await FakeCloud.start(converse: { link, _ in
            _ = try await link.next()
            arrived.yield()
            await link.drain()
        })
        let socket = socket(cloud)
        let running = Task { await socket.run() }
        for await _ in arrivals { break }
        await clock.sleepers()
        clock.advance(by: CameraSocket.handshakeLimit)
        #expect(try await reports(1) == [.offline(.seconds(1))])
        running.cancel()
        _ = await running.value
        await cloud.stop()
    }

    @Test func losingTheConnectionCancelsItsAnswers() async throws {
        let (cancellations, cancelled) = AsyncStream<Void>.makeStream()
        let handler = Recorder { _ in
            try? await Task.sleep(for: .seconds(600))
            if Task.isCancelled { cancelled.yield() }
            return .success("too late")
        }
        let cloud = try await FakeCloud.start(converse: { link, number in
            try await link.welcome()
            guard number == 0 else { return await link.drain() }
            try link.send(self.offer("1"))
            link.close(code: 1011)
        })
        let socket = socket(cloud, handler)
        let running = Task { await socket.run() }
        try await within(.seconds(20), "the cancellation") { for await _ in cancellations { break } }
        running.cancel()
        _ = await running.value
        await cloud.stop()
    }
}
