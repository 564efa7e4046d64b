import Basics
import CloudClient
import Combine
import Foundation
import LiveView
import TestSupport
import Testing
import Wire

/// The documented samples of the live view, as an app writes them.
@Suite struct SeedSamplesTests {
    @Test func theSamplesCompile() async throws {
        let liveViewObject = LiveViewModel(
            spaceId: "home", deviceId: "PLC0123456789ABCDEFGHJKMNPQ", connection: CloudConnection())
        let seen = Locked<[String]>([])
        let note: @Sendable (String) -> Void = { line in seen.withLock { $0.append(line) } }

        let liveView = liveViewObject.remoteViews.first
        #expect(liveView?.frameCount == 0)

        liveViewObject.onConnected = { note("connected") }
        liveViewObject.onLiveViewTerminate = { note("terminated") }
        liveViewObject.onError = { note("error") }
        liveViewObject.onReconnect = { note("reconnecting") }
        liveViewObject.onTimeout = { note("timed out") }
        liveViewObject.onDataChannelMessage = { (data: Data) in note("message of \(data.count) bytes") }
        liveViewObject.onDataChannelOpen = { (isOpen: Bool) in note("channel \(isOpen)") }
        liveViewObject.onDeviceRefresh = { (device: DeviceModel) in note("device \(device.name)") }
        liveViewObject.onFrameTimeout = { note("no frame") }
        liveViewObject.onStreamEnded = { note("ended") }
        liveViewObject.onStreamFailed = { note("failed") }

        let readings = liveViewObject.$rssi.merge(with: liveViewObject.$temperature, liveViewObject.$humidity)
            .sink { note("reading \(String(describing: $0))") }
        #expect(seen.withLock { $0 } == ["reading nil", "reading nil", "reading nil"])
        #expect(liveViewObject.retryCount == -1)
        #expect(liveViewObject.connectionState == .none)
        #expect(!liveViewObject.isConnected && !liveViewObject.isDataChannelOpen)

        // Without a cloud it cannot connect, and says so.
        let events = liveViewObject.events
        liveViewObject.connect(localView: nil, autoDisconnectTime: 60, playbackEndTime: nil)
        try await within(.seconds(30), "the error") {
            for await event in events where event == .error(.cloud(.notConfigured)) { return }
        }
        #expect(seen.withLock { $0 }.last == "error")
        liveViewObject.sendWakeupMessageOnLiveStart()
        liveViewObject.disconnect(localView: nil)
        liveViewObject.terminateConnection(privacyEnable: true)
        #expect(liveViewObject.connectionState == .failed)
        readings.cancel()
    }
}
