import Basics
public import CloudClient
public import Combine
public import Foundation
public import WebRTC
import Wire

/// A live view of one camera: connects, reconnects, shows frames and tells what happens. Source: seed 004.
///
/// Calls may come from any thread. Everything that can be observed happens on the main queue, in this order: the published
/// property, the callback, the events, and last whoever waits in ``connected()``. ``connectionState``,
/// ``isDataChannelOpen`` and ``lastError`` are read from the state machine itself and are true at the moment of reading,
/// also right after a call. The machine is drawn in `docs/guide/live-view.md`.
///
/// `@unchecked Sendable`: the published properties guard themselves, as does everything else here.
public final class LiveViewModel: ObservableObject, @unchecked Sendable {
    /// The device's space.
    public let spaceId: String
    /// The device.
    public let deviceId: String
    /// What is shown of it.
    public let mode: LiveViewMode

    /// Whether frames arrive.
    @Published public private(set) var isConnected = false
    /// The strength of the camera's own network, in dBm, as the camera last said.
    @Published public private(set) var rssi: Int?
    /// At the camera, in degrees Celsius, as it last said; nil when it has no such sensor.
    @Published public private(set) var temperature: Int?
    /// At the camera, in percent, as it last said; nil when it has no such sensor.
    @Published public private(set) var humidity: Int?

    let callbacks = Locked(Callbacks())
    private let driver: LiveViewDriver
    private let audience = EventAudience()

    /// A model of its own, outside the cache of ``model(spaceId:deviceId:mode:wakeup:)``. Nothing is connected yet; the
    /// media engine is loaded in the background.
    /// - Parameters:
    ///   - wakeup: See ``wakeup``.
    ///   - connection: The cloud to ask.
    ///   - clock: Measures every time limit.
    public convenience init(
        spaceId: String, deviceId: String, mode: LiveViewMode = .live, wakeup: Bool = false,
        connection: CloudConnection = .shared, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            spaceId: spaceId, deviceId: deviceId, mode: mode, wakeup: wakeup, connection: connection, clock: clock,
            jitter: { .random(in: 0..<1) })
    }

    init(
        spaceId: String, deviceId: String, mode: LiveViewMode, wakeup: Bool, connection: CloudConnection,
        clock: any Clock<Duration>, jitter: @escaping @Sendable () -> Double
    ) {
        self.spaceId = spaceId
        self.deviceId = deviceId
        self.mode = mode
        let relay = OutputRelay()
        driver = LiveViewDriver(
            spaceId: spaceId, deviceId: deviceId, services: connection, clock: clock, jitter: jitter,
            view: LiveVideoView()
        ) { output in
            DispatchQueue.main.async { relay.model?.deliver(output) }
        }
        relay.model = self
        driver.set(\.wakesUp, to: wakeup)
        _ = LiveEngine.warmth
    }

    deinit {
        driver.post(.disconnect)
        audience.finish(.disconnected)
    }

    // MARK: - State

    /// Where the view stands.
    public var connectionState: LiveConnectionState { driver.read(\.connectionState) }
    /// Whether a message can be sent to the camera: true while the channel is open, and only then.
    public var isDataChannelOpen: Bool { driver.read(\.isChannelOpen) }
    /// Why the newest connection was lost or given up; nil after ``connect(localView:autoDisconnectTime:playbackEndTime:)``.
    public var lastError: LiveViewError? { driver.read(\.lastError) }
    /// From ``connect(localView:autoDisconnectTime:playbackEndTime:)`` to the first decoded frame; nil before that.
    public var firstFrameDuration: Duration? { driver.read(\.firstFrameDuration) }
    /// The codec of the picture as the camera answered, such as `H264`; nil before the first answer.
    public var videoCodec: String? { driver.videoCodec }

    /// A switch, not a count: at -1, the default, the view reconnects by itself; at any other value it does not, and
    /// ``onError`` is called instead.
    public var retryCount: Int {
        get { driver.read(\.retryCount) }
        set { driver.set(\.retryCount, to: newValue) }
    }

    /// Whether the camera is one that sleeps: it is then told to stay awake when the channel opens.
    public var wakeup: Bool {
        get { driver.read(\.wakesUp) }
        set { driver.set(\.wakesUp, to: newValue) }
    }

    /// Where the frames arrive: one view, there from the beginning and the same over reconnections.
    public var remoteViews: [LiveVideoView] { [driver.view] }

    // MARK: - Calls

    /// Begins to connect. While it is connecting or connected, only the time limit is set anew.
    ///
    /// - Parameters:
    ///   - localView: Not used by a live view.
    ///   - autoDisconnectTime: After how many seconds the view is disconnected by itself; nil for never.
    ///   - playbackEndTime: When the playback of a recording ends, in seconds since 1970; a live view has no end.
    public func connect(
        localView: (any RTCVideoRenderer)? = nil, autoDisconnectTime: Double? = nil, playbackEndTime: Double? = nil
    ) {
        let limit = autoDisconnectTime.flatMap { $0 > 0 && $0.isFinite ? Duration.seconds(min($0, 1e9)) : nil }
        driver.post(.connect(autoDisconnect: limit))
    }

    /// Disconnects: says goodbye to the camera, closes the connection and ends the session. Callbacks stay.
    ///
    /// Returns at once; ``closed()`` waits until all is done, which matters before a program exits.
    /// - Parameter localView: Not used by a live view.
    public func disconnect(localView: (any RTCVideoRenderer)? = nil) { driver.post(.disconnect) }

    /// Tears everything down, and clears ``onConnected``, ``onError`` and ``onReconnect``, which are to be assigned again
    /// before the next ``connect(localView:autoDisconnectTime:playbackEndTime:)``. ``connectionState`` becomes
    /// ``LiveConnectionState/failed``, ``isDataChannelOpen`` false. Nothing reconnects by itself afterwards.
    ///
    /// - Parameter privacyEnable: The camera enters privacy mode: the newest frame is dropped as well, so that nothing can
    ///   be shown or saved of it.
    public func terminateConnection(privacyEnable: Bool) {
        onConnected = nil
        onError = nil
        onReconnect = nil
        driver.post(.terminate)
        // From here on the view admits no frame, so it stays empty.
        if privacyEnable { driver.view.renderFrame(nil) }
    }

    /// Tells a sleeping camera to stay awake, over an open channel. Does nothing when ``wakeup`` is false or the channel is
    /// closed; it is sent by itself whenever the channel opens.
    public func sendWakeupMessageOnLiveStart() { driver.post(.wakeUp) }

    // MARK: - With async

    /// What happens from now on. Each use is a stream of its own, which ends with the model.
    public var events: AsyncStream<LiveViewEvent> { audience.stream() }

    /// Waits for the stream that ``connect(localView:autoDisconnectTime:playbackEndTime:)`` began; at once when it is up.
    /// Reconnections are waited for.
    /// - Throws: Why it was given up, ``LiveViewError/disconnected`` when nothing is being connected,
    ///   ``LiveViewError/cancelled``.
    public func connected() async throws(LiveViewError) {
        try await audience.connected { [driver] in driver.read(\.standing) }
    }

    /// Waits until what was connected before is closed, and its sessions are ended at the cloud; also one that the cloud is
    /// about to make, whose answer is waited for.
    public func closed() async { await driver.closed() }

    /// The newest frame as a PNG file.
    /// - Throws: As ``LiveVideoView/snapshot()``.
    public func snapshot() async throws(LiveViewError) -> Data { try await driver.view.snapshot() }

    /// Loads the media engine, which takes one or two seconds once in a process. Optional: making a model begins it.
    /// - Throws: ``LiveViewError/media(_:)`` when a part of it is not installed, ``LiveViewError/cancelled`` when the waiting
    ///   task is, which does not end the loading.
    public static func prepare() async throws(LiveViewError) { try await LiveEngine.wait() }

    // MARK: - Delivery

    @MainActor
    private func deliver(_ output: LiveViewDriver.Output) {
        switch output {
        case .reading(.rssi(let value)): rssi = value
        case .reading(.temperature(let value)): temperature = value
        case .reading(.humidity(let value)): humidity = value
        case .reading: break
        case .event(let event, let step):
            publish(event)
            call(event)
            audience.send(event, step: step)
        }
    }

    @MainActor
    private func publish(_ event: LiveViewEvent) {
        let connects: Bool
        switch event {
        case .connected: connects = true
        case .terminated, .error, .timedOut, .frameTimedOut, .streamEnded, .streamFailed: connects = false
        case .reconnecting, .dataChannelMessage, .dataChannelOpen, .deviceRefreshed: return
        }
        if isConnected != connects { isConnected = connects }
    }

    @MainActor
    private func call(_ event: LiveViewEvent) {
        switch event {
        case .connected: onConnected?()
        case .terminated: onLiveViewTerminate?()
        case .error: onError?()
        case .reconnecting: onReconnect?()
        case .timedOut: onTimeout?()
        case .dataChannelMessage(let data): onDataChannelMessage?(data)
        case .dataChannelOpen(let isOpen): onDataChannelOpen?(isOpen)
        case .deviceRefreshed(let device): onDeviceRefresh?(device)
        case .frameTimedOut: onFrameTimeout?()
        case .streamEnded: onStreamEnded?()
        case .streamFailed: onStreamFailed?()
        }
    }
}

/// Finds the model that a driver's output is for, without holding it.
private final class OutputRelay: @unchecked Sendable {
    // Unchecked because it is set once, before anything is put out, and a weak reference may be read from any thread.
    weak var model: LiveViewModel?
}
