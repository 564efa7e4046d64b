import Basics
import CloudClient
import Combine
import Foundation
import TestSupport
import Testing
import WebRTC
import Wire

@testable import LiveView

/// The model against a camera of this process: real HTTP, encoder, DTLS-SRTP and decoder.
@Suite(.serialized) struct LiveViewModelTests {
    private func withCloud(_ body: (FakeCloud) async throws -> Void) async throws {
        let cloud = try await FakeCloud()
        do {
            try await body(cloud)
            await cloud.stop()
        } catch {
            await cloud.stop()
            throw error
        }
    }

    private func model(
        _ cloud: FakeCloud, wakeup: Bool = false, clock: any Clock<Duration> = ContinuousClock()
    ) -> LiveViewModel {
        LiveViewModel(
            spaceId: "home", deviceId: FakeCloud.deviceId, mode: .live, wakeup: wakeup, connection: cloud.connection,
            clock: clock, jitter: { 0 })
    }

    /// Waits for an entry of the cloud's log.
    private func heard(_ cloud: FakeCloud, _ wanted: FakeCloud.Entry) async throws {
        try await within(.seconds(20), "the cloud to hear \(wanted)") {
            for await entry in cloud.log where entry == wanted { return }
        }
    }

    /// Waits for an event, and returns all up to it.
    @discardableResult
    private func events(_ events: AsyncStream<LiveViewEvent>, upTo last: LiveViewEvent) async throws -> [LiveViewEvent]
    {
        try await within(.seconds(30), "\(last)") {
            var seen: [LiveViewEvent] = []
            for await event in events {
                seen.append(event)
                if event == last { break }
            }
            return seen
        }
    }

    private func connected(_ model: LiveViewModel) async throws {
        try await within(.seconds(30), "the stream") { try await model.connected() }
    }

    /// - Parameter clock: The model's clock, if it must be moved on for the end.
    private func end(_ model: LiveViewModel, _ clock: ManualClock? = nil) async throws {
        model.disconnect()
        let ticker = Task {
            while let clock, !Task.isCancelled {
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        defer { ticker.cancel() }
        try await within(.seconds(20), "everything to be closed") { await model.closed() }
    }

    @Test func showsFramesAndReadingsAndEnds() async throws {
        try await withCloud { cloud in
            let model = model(cloud)
            let view = try #require(model.remoteViews.first)
            await #expect(throws: LiveViewError.noFrame) { try await model.snapshot() }
            await #expect(throws: LiveViewError.disconnected) { try await model.connected() }
            let frames = view.frames
            let events = model.events
            model.connect()
            #expect(model.connectionState == .initiated)
            try await connected(model)
            #expect(model.isConnected)
            #expect(model.connectionState == .connected)
            #expect(try #require(model.firstFrameDuration) > .zero)

            try await within(.seconds(20), "ten frames") {
                var count = 0
                for await frame in frames {
                    #expect(frame.width == 320 && frame.height == 240)
                    count += 1
                    if count == 10 { return }
                }
            }
            #expect(view.frameCount >= 10)
            #expect(view.size == CGSize(width: 320, height: 240))
            let rssi = try await within(.seconds(20), "the reading") {
                for await value in model.$rssi.values where value != nil { return value }
                return nil
            }
            #expect(rssi == -51)
            #expect(model.isDataChannelOpen)

            model.disconnect()
            #expect(model.connectionState == .none)
            #expect(!model.isDataChannelOpen)
            try await heard(cloud, .delete(path: "/v1/live/session-1"))
            try await self.events(events, upTo: .terminated)
            try await within(.seconds(20), "everything to be closed") { await model.closed() }
            #expect(!model.isConnected)
        }
    }

    @Test func takesASnapshot() async throws {
        try await withCloud { cloud in
            let model = model(cloud)
            model.connect()
            try await connected(model)
            let png = try await model.snapshot()
            #expect(png.prefix(8) == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
            // The picture's size stands in the first chunk.
            #expect(png.dropFirst(16).prefix(8) == Data([0, 0, 1, 0x40, 0, 0, 0, 0xF0]))
            try await end(model)
        }
    }

    @Test func callsBackOnTheMainQueue() async throws {
        try await withCloud { cloud in
            let model = model(cloud)
            let calls = Locked<[String]>([])
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            let note: @Sendable (String) -> Void = { call in
                let queue = DispatchQueue.getSpecific(key: key) == true ? "main" : "another queue"
                calls.withLock { $0.append("\(call) on \(queue)") }
            }
            model.onConnected = { note("connected, \(model.isConnected)") }
            model.onDataChannelOpen = { note("channel \($0)") }
            model.onLiveViewTerminate = { note("terminated, \(model.isConnected)") }
            model.onError = { note("error") }
            let events = model.events
            model.connect()
            try await self.events(events, upTo: .dataChannelOpen(true))
            try await connected(model)
            model.disconnect()
            try await self.events(events, upTo: .terminated)
            #expect(
                Set(calls.withLock { $0 }) == [
                    "connected, true on main", "channel true on main", "channel false on main",
                    "terminated, false on main",
                ])
            try await end(model)
            model.onConnected = nil
            model.onLiveViewTerminate = nil
        }
    }

    @Test func saysGoodbyeBeforeItCloses() async throws {
        try await withCloud { cloud in
            let model = model(cloud, wakeup: true)
            let events = model.events
            model.connect()
            try await self.events(events, upTo: .dataChannelOpen(true))
            try await heard(cloud, .message(.wakeUp(reason: "live_start")))
            model.disconnect()
            try await heard(cloud, .message(.goodbye))
            try await end(model)
        }
    }

    @Test func passesOnWhatIsNotItsOwn() async throws {
        try await withCloud { cloud in
            let model = model(cloud)
            let events = model.events
            model.connect()
            // The first reading says that the camera's end of the channel is open too.
            try await within(.seconds(20), "the first reading") {
                for await value in model.$rssi.values where value != nil { return }
            }
            let sent = Data("knock".utf8)
            cloud.cameras.first?.send(sent)
            try await self.events(events, upTo: .dataChannelMessage(sent))
            cloud.cameras.first?.send(DataChannelMessage.temperature(21).encoded())
            cloud.cameras.first?.send(DataChannelMessage.humidity(40).encoded())
            try await within(.seconds(20), "the readings") {
                for await value in model.$temperature.values where value == 21 { break }
                for await value in model.$humidity.values where value == 40 { return }
            }
            try await end(model)
        }
    }

    @Test func aKilledCameraIsMissedAndFoundAgain() async throws {
        try await withCloud { cloud in
            let clock = ManualClock()
            let model = model(cloud, clock: clock)
            let events = model.events
            model.connect()
            try await self.events(events, upTo: .connected)
            await cloud.cameras.first?.close()
            clock.advance(by: .seconds(15))
            let seen = try await self.events(events, upTo: .connected).filter {
                if case .dataChannelOpen = $0 { false } else { true }
            }
            try #require(seen.count == 4, "\(seen)")
            #expect(seen[0] == .frameTimedOut)
            guard case .deviceRefreshed(let device) = seen[1] else {
                Issue.record("\(seen)")
                return
            }
            #expect(device.deviceId == FakeCloud.deviceId)
            #expect(seen[2] == .reconnecting)
            #expect(cloud.cameras.count == 2)
            try await heard(cloud, .delete(path: "/v1/live/session-1"))
            try await end(model, clock)
        }
    }

    @Test func aPictureThatNeverComesTimesOut() async throws {
        try await withCloud { cloud in
            cloud.dieAfterAnswering()
            let clock = ManualClock()
            let model = model(cloud, clock: clock)
            model.retryCount = 0
            let events = model.events
            model.connect()
            try await heard(cloud, .offer)
            clock.advance(by: .milliseconds(29_999))
            #expect(model.connectionState == .initiated)
            clock.advance(by: .milliseconds(1))
            let seen = try await self.events(events, upTo: .error(.connectTimedOut(after: .seconds(30))))
            #expect(seen.first == .timedOut)
            #expect(model.connectionState == .failed)
            try await heard(cloud, .delete(path: "/v1/live/session-1"))
            try await end(model, clock)
        }
    }

    @Test func privacyEndsTheReconnectionAndTakesThePictureAway() async throws {
        try await withCloud { cloud in
            let model = model(cloud)
            let events = model.events
            model.connect()
            try await within(.seconds(20), "the first reading") {
                for await value in model.$rssi.values where value != nil { return }
            }
            try await connected(model)
            cloud.set(privacy: true)
            cloud.cameras.first?.send(DataChannelMessage.streamEnded(reason: "privacy").encoded())
            let seen = try await self.events(events, upTo: .error(.privacy))
            #expect(seen.contains(.streamEnded(reason: "privacy")))
            #expect(!seen.contains(.reconnecting))
            #expect(model.connectionState == .failed)
            #expect(model.lastError == .privacy)
            #expect(model.remoteViews.first?.frame != nil)
            model.terminateConnection(privacyEnable: true)
            #expect(model.remoteViews.first?.frame == nil)
            try await end(model)
        }
    }

    /// Frames go on arriving until the connection is closed, which is later than the call.
    @Test func privacyTakesThePictureAwayForGoodWhileFramesArrive() async throws {
        try await withCloud { cloud in
            let model = model(cloud)
            let view = try #require(model.remoteViews.first)
            model.connect()
            try await connected(model)
            model.terminateConnection(privacyEnable: true)
            let count = view.frameCount
            try await within(.seconds(20), "everything to be closed") { await model.closed() }
            #expect(view.frame == nil)
            #expect(view.frameCount == count)
            await #expect(throws: LiveViewError.noFrame) { try await model.snapshot() }
        }
    }

    @Test func framesOfADroppedAttemptAreNotShown() async throws {
        try await withCloud { cloud in
            let driver = LiveViewDriver(
                spaceId: "home", deviceId: FakeCloud.deviceId, services: cloud.connection, clock: ContinuousClock(),
                jitter: { 0 }, view: LiveVideoView()
            ) { _ in }
            let view = driver.view
            let frames = view.frames
            driver.post(.connect(autoDisconnect: nil))
            let frame = try #require(
                try await within(.seconds(30), "a frame") {
                    for await frame in frames { return frame }
                    return nil
                })
            let tap = driver.tap(1, FrameMeter())
            tap.renderFrame(frame)
            #expect(view.frame != nil)

            driver.post(.terminate)
            view.renderFrame(nil)
            let (count, size) = (view.frameCount, view.size)
            tap.renderFrame(frame)
            tap.setSize(CGSize(width: 1, height: 1))
            #expect(view.frame == nil)
            #expect(view.frameCount == count)
            #expect(view.size == size)

            // Nor is what is left of it shown in the next one.
            driver.post(.connect(autoDisconnect: nil))
            tap.setSize(CGSize(width: 1, height: 1))
            #expect(view.size == size)
            driver.post(.terminate)
            try await within(.seconds(20), "everything to be closed") { await driver.closed() }
        }
    }

    @Test func anOfflineCameraIsGivenUp() async throws {
        try await withCloud { cloud in
            cloud.set(online: false)
            try cloud.refuseOffers(status: 409, APIError(code: .deviceOffline, message: "not connected"))
            let model = model(cloud)
            model.connect()
            let failure = try await within(.seconds(30), "the end") {
                await #expect(throws: LiveViewError.self) { try await model.connected() }
            }
            #expect(failure == .cameraOffline)
            #expect(model.connectionState == .failed)
            try await end(model)
        }
    }

    @Test func aWrongTokenIsNotTriedAgain() async throws {
        try await withCloud { cloud in
            try cloud.refuseOffers(status: 401, APIError(code: .unauthorized, message: "no"))
            let model = model(cloud)
            model.connect()
            let failure = try await within(.seconds(30), "the end") {
                await #expect(throws: LiveViewError.self) { try await model.connected() }
            }
            #expect(failure == .cloud(.unauthorized(reason: "no")))
            // Asked afterwards, it says the same.
            await #expect(throws: LiveViewError.cloud(.unauthorized(reason: "no"))) { try await model.connected() }
            try await end(model)
        }
    }

    /// Nothing is heard on the main queue while this runs on it, so the end of the first connection is heard late.
    @MainActor private func reconnect(_ model: LiveViewModel) async throws {
        model.disconnect()
        model.connect()
        try await model.connected()
    }

    @Test func anEndThatIsHeardLateIsNotThatOfTheNextConnection() async throws {
        try await withCloud { cloud in
            let model = model(cloud)
            model.connect()
            try await connected(model)
            try await within(.seconds(30), "the second stream") { try await reconnect(model) }
            #expect(model.connectionState == .connected)
            try await end(model)
        }
    }

    @Test func terminatingClearsThreeCallbacks() async throws {
        try await withCloud { cloud in
            let model = model(cloud)
            let nothing: @MainActor () -> Void = {}
            model.onConnected = nothing
            model.onError = nothing
            model.onReconnect = nothing
            model.onTimeout = nothing
            model.onLiveViewTerminate = nothing
            model.connect()
            try await connected(model)
            model.terminateConnection(privacyEnable: false)
            #expect(model.onConnected == nil && model.onError == nil && model.onReconnect == nil)
            #expect(model.onTimeout != nil && model.onLiveViewTerminate != nil)
            #expect(model.connectionState == .failed)
            #expect(!model.isDataChannelOpen)
            #expect(model.remoteViews.first?.frame != nil)
            try await heard(cloud, .delete(path: "/v1/live/session-1"))
            try await within(.seconds(20), "everything to be closed") { await model.closed() }
        }
    }

    @Test func disconnectingDuringTheOfferEndsItsSession() async throws {
        try await withCloud { cloud in
            let model = model(cloud)
            model.connect()
            try await heard(cloud, .offer)
            model.disconnect()
            try await heard(cloud, .delete(path: "/v1/live/session-1"))
            try await end(model)
            #expect(model.remoteViews.first?.frameCount == 0)
        }
    }

    /// As a program does that exits next.
    @Test func closedWaitsForTheAnswerOfAnOfferThatIsOut() async throws {
        try await withCloud { cloud in
            let model = model(cloud)
            model.connect()
            try await heard(cloud, .offer)
            model.disconnect()
            try await within(.seconds(20), "everything to be closed") { await model.closed() }
            #expect(cloud.wasAsked(.delete(path: "/v1/live/session-1")))
        }
    }

    @Test func cancellingTheWaitLeavesTheConnection() async throws {
        try await withCloud { cloud in
            let model = model(cloud)
            model.connect()
            let wait = Task { try await model.connected() }
            wait.cancel()
            if case .failure(let error) = await wait.result { #expect(error as? LiveViewError == .cancelled) }
            try await connected(model)
            try await end(model)
        }
    }

    @Test func aModelThatIsLetGoEndsItsSession() async throws {
        try await withCloud { cloud in
            do {
                let model = model(cloud)
                model.connect()
                try await connected(model)
            }
            try await heard(cloud, .delete(path: "/v1/live/session-1"))
        }
    }

    @Test func oneModelForEachDeviceAndMode() {
        let first = LiveViewModel.model(spaceId: "cache", deviceId: "a", mode: .live, wakeup: false)
        #expect(LiveViewModel.model(spaceId: "cache", deviceId: "a") === first)
        #expect(LiveViewModel.model(spaceId: "cache", deviceId: "b") !== first)
        #expect(LiveViewModel.model(spaceId: "other", deviceId: "a") !== first)
        #expect(!first.wakeup)
        #expect(LiveViewModel.model(spaceId: "cache", deviceId: "a", wakeup: true) === first)
        #expect(first.wakeup)
    }
}
