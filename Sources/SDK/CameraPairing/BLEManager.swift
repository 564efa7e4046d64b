import Basics
public import Combine
public import CoreBluetooth
public import Foundation
public import Wire

/// Finds cameras that wait to be paired, and brings one of them onto the network.
///
/// Methods are commands that do not wait for the camera; results arrive through the published properties. The order of a pairing:
/// ``initCBCentralManager()``, ``startScan()``, ``connectToCamera(camera:)``, ``fetchCameraDid()``,
/// ``sendWiFiScanCommand()`` and ``getWiFiList()``, ``updateWifiInfo(wifiInfo:)``. Source: seed 000.
///
/// Threading: call it from any thread. Properties change on the manager's own serial queue; use
/// `receive(on: DispatchQueue.main)` where a user interface listens, or `for await … in ble.$wifiList.values`.
public final class BLEManager: NSObject, ObservableObject, @unchecked Sendable {
    // Unchecked because `flow`, `radio` and `timers` are touched only on `queue`, and `Published` guards its own storage.

    /// Whether this program may use Bluetooth.
    public enum AuthorizationStatus: Sendable, Hashable {
        /// It may.
        case allowed
        /// Refused or restricted, or Bluetooth was switched off during a scan: look at ``BLEManager/cBManagerState``
        /// before telling a person that permission was denied.
        case notAllowed
        /// Not determined yet.
        case none
    }

    /// The one that apps use.
    public static let instance = BLEManager()

    /// The state of Bluetooth; nil until the central was created. Scanning works in `.poweredOn` only.
    @Published public private(set) var cBManagerState: CBManagerState?
    /// Whether this program may use Bluetooth.
    @Published public private(set) var authorizationStatus = AuthorizationStatus.none
    /// The cameras of this scan, by signal (strongest first), then name.
    @Published public private(set) var cameraList: [BLECamera] = []
    /// A scan ended with nothing found.
    @Published public private(set) var noCameraFound = false
    /// The connection to the chosen camera.
    @Published public private(set) var cameraConnectionStatus = CameraConnectionStatus.none
    /// The device id has been read; ``bleCameraDID`` holds it.
    @Published public private(set) var bleCameraDIDFetched = false
    /// The networks the camera hears; grows as they arrive.
    @Published public private(set) var wifiList: [WifiNetwork] = []
    /// The camera has told of every network it hears. Beyond the seed.
    @Published public private(set) var wifiListComplete = false
    /// The camera cannot tell of networks: let the person type the name. Improv devices only. Beyond the seed.
    @Published public private(set) var wifiListUnavailable = false
    /// The camera takes credentials only once a person has pressed its button: ask for that. Credentials that are written
    /// meanwhile wait for it, for two minutes at most. Improv devices only. Beyond the seed.
    @Published public private(set) var buttonPressAwaited = false
    /// The camera has acknowledged every field of the last ``updateWifiInfo(wifiInfo:)``. Beyond the seed.
    @Published public private(set) var credentialsSent = false
    /// How the camera's attempt ended, from itself: on layouts that keep the connection, see ``updateWifiInfo(wifiInfo:)``.
    /// Nil until then. Beyond the seed.
    @Published public private(set) var pairingOutcome: PairingOutcome?
    /// A page on the camera at which the person can go on; set before ``pairingOutcome``. Anybody in radio reach may have
    /// written it, so show its address before it is opened. Improv devices only. Beyond the seed.
    @Published public private(set) var onboardingPage: URL?
    /// Why the camera that took the credentials waits to be paired again, heard by ``watchForSetback()``. Beyond the seed.
    @Published public private(set) var setback: PairingFailure?
    /// Why the last step failed; nil once a later one began. Beyond the seed.
    @Published public private(set) var failure: CameraPairingError?
    /// As ``listens``, to wait for.
    @Published private(set) var isListening = false
    /// As ``hasLink``, to wait for.
    @Published private(set) var isLinked = false
    /// Where the camera says that it stands while it joins.
    @Published private(set) var attempt: PairingState?

    /// The connected camera's device id; empty when it has none to report. Read it once ``bleCameraDIDFetched`` is true.
    public var bleCameraDID: String { deviceID.withLock { $0 } }

    /// Take no layout but the protected one, so that nobody can talk camera and app down to a weaker one. A ``setupCode``
    /// implies it. Counts from the next ``connectToCamera(camera:)``. Beyond the seed.
    public var requiresProtectedPairing: Bool {
        get { protection.withLock { $0.isRequired || $0.code != nil } }
        set { protection.withLock { $0.isRequired = newValue } }
    }

    /// The code printed on the camera, eight digits; spaces and dashes do not matter. Nil where the person has none: then
    /// the protected layout shuts out listeners, and not somebody in between. Counts from the next
    /// ``connectToCamera(camera:)``. Beyond the seed.
    public var setupCode: Secret? {
        get { protection.withLock { $0.code } }
        set { protection.withLock { $0.code = newValue } }
    }

    private static let currentManager = DispatchSpecificKey<ObjectIdentifier>()

    private let deviceID = Locked("")
    private let protection = Locked<(isRequired: Bool, code: Secret?)>((false, nil))
    private let queue = DispatchQueue(label: "porchlight.pairing")
    private let centralOptions: CentralOptions
    private var flow: PairingFlow
    private lazy var radio = CameraRadio(
        queue: queue, options: centralOptions.values, randomness: randomness,
        knows: { [weak self] in self?.flow.knows($0) ?? false },
        emit: { [weak self] in self?.handle($0) })
    private let timers: FlowTimers
    private var discoveryStream = DiscoveryStream()
    let clock: any Clock<Duration>
    private let randomness: PairingRandomness
    private var isHandling = false
    private var nextEvents: [PairingFlow.Event] = []

    /// Options for the central, wrapped because `Any` is not Sendable.
    private struct CentralOptions: @unchecked Sendable {
        // Unchecked because the dictionary is never changed and CoreBluetooth only reads it.
        let values: [String: Any]?
    }

    /// A manager of one's own, for tests and for programs with several radios; apps use ``instance``.
    /// - Parameters:
    ///   - clock: Measures every time limit.
    ///   - centralOptions: Passed to `CBCentralManager`.
    public convenience init(
        clock: any Clock<Duration> = ContinuousClock(), centralOptions: [String: Any]? = nil
    ) {
        self.init(clock: clock, centralOptions: centralOptions, limits: PairingFlow.Limits())
    }

    init(
        clock: any Clock<Duration>, centralOptions: [String: Any]?, limits: PairingFlow.Limits,
        randomness: PairingRandomness = PairingRandomness()
    ) {
        self.randomness = randomness
        self.clock = clock
        self.centralOptions = CentralOptions(values: centralOptions)
        flow = PairingFlow(limits: limits)
        timers = FlowTimers(clock: clock, queue: queue)
        super.init()
        queue.setSpecific(key: Self.currentManager, value: ObjectIdentifier(self))
        timers.onExpiry { [weak self] in self?.handle(.expired($0)) }
    }

    // MARK: Commands

    /// Creates the central and begins to deliver its state. On systems that ask people for permission, this asks.
    public func initCBCentralManager() { run { $0.radio.begin() } }

    /// Begins a new search: empties the lists, drops a connection, sets the status to `.none`.
    ///
    /// Creates the central where there is none, and waits for power. When nothing is found within 30 s,
    /// ``noCameraFound`` becomes true and the scan ends; once a camera was found it goes on until one is connected.
    public func startScan() {
        run { $0.beginScan() }
    }

    /// Ends the search. Done by itself once a camera is connected.
    public func stopScan() { send(.stopScan) }

    /// Connects to a camera of ``cameraList``.
    ///
    /// The camera that is connected already is left as it is and the scan stops; another one that is connected is
    /// dropped first. The status becomes `.connected` when the camera is ready, `.notConnected` after 20 s.
    public func connectToCamera(camera: BLECamera?) {
        let asked = protection.withLock { $0 }
        run { manager in
            do throws(WireError) {
                manager.radio.wishes = try PairingWishes(requiresProtection: asked.isRequired, code: asked.code)
                manager.handle(.connect(camera?.identifier))
            } catch {
                manager.handle(.misuse(.invalidSetupCode(error)))
            }
        }
    }

    /// Stops the scan and drops the connection. Call it when the person leaves, in any state.
    public func disconnect() { send(.disconnect) }

    /// Reads the device id; ``bleCameraDIDFetched`` becomes true also when the camera has none, with an empty id.
    public func fetchCameraDid() { send(.fetchDeviceID) }

    /// Empties ``wifiList`` and asks the camera to scan; networks arrive over a few seconds.
    public func sendWiFiScanCommand() { send(.scanNetworks) }

    /// Guards the scan: when 90 s pass without a network, the status becomes `.notConnected`.
    public func getWiFiList() { send(.guardNetworks) }

    /// Writes the credentials, the last step over Bluetooth.
    ///
    /// The fields are checked first: one that cannot be right sets ``failure`` and nothing is written. When the camera
    /// has acknowledged them, ``credentialsSent`` becomes true.
    ///
    /// On the standard layout the connection is dropped then, and whether the camera gets onto the network is told by the
    /// status of its pairing session. On the others it stays: ``pairingOutcome`` tells, and after a failure other
    /// credentials can be sent. Call ``disconnect()`` when the person leaves.
    public func updateWifiInfo(wifiInfo: WiFiDetailModel) { send(.write(wifiInfo)) }

    /// Listens for the camera that took the credentials; when it is back, ``setback`` says why its attempt has failed.
    ///
    /// For a camera that cannot tell the cloud, since the network did not let it in. Until ``stopScan()`` or
    /// ``disconnect()``. Beyond the seed.
    public func watchForSetback() { send(.watchForSetback) }

    private func send(_ event: PairingFlow.Event) { run { $0.handle(event) } }

    /// Runs a command on the queue and returns when its first effects are published, so that nobody reads the list of an
    /// earlier scan after `startScan()`. From inside a published change, which is on the queue already, it runs afterwards.
    private func run(_ command: @escaping @Sendable (BLEManager) -> Void) {
        if DispatchQueue.getSpecific(key: Self.currentManager) == ObjectIdentifier(self) {
            queue.async { command(self) }
        } else {
            queue.sync { command(self) }
        }
    }

    /// The central, once there is one: it may know more of its state than Apple's interface tells. Not to be asked from
    /// inside a published change.
    package var centralManager: CBCentralManager? { queue.sync { radio.central } }

    // MARK: On the queue

    private func beginScan() {
        radio.begin()
        handle(.startScan)
        radio.forgetCameras()
    }

    private func handle(_ event: PairingFlow.Event) {
        dispatchPrecondition(condition: .onQueue(queue))
        // An action may have an event for its effect at once: the actions that go with it are carried out before.
        nextEvents.append(event)
        guard !isHandling else { return }
        isHandling = true
        defer { isHandling = false }
        while !nextEvents.isEmpty {
            let actions = flow.handle(nextEvents.removeFirst())
            publish(flow.published)
            for action in actions { perform(action) }
            discoveryStream.follow(flow)
        }
    }

    /// Begins a search, and tells of its cameras, each once.
    func discoveries() -> AsyncStream<BLECamera> {
        let (cameras, continuation) = AsyncStream.makeStream(
            of: BLECamera.self, bufferingPolicy: .bufferingNewest(DiscoveryStream.limit))
        run { manager in
            manager.beginScan()
            let number = manager.discoveryStream.begin(continuation, scan: manager.flow.scans)
            // Never waited for: who cancels a task holds what the queue needs to tell that task of a camera.
            continuation.onTermination = { [weak manager] _ in
                guard let manager else { return }
                manager.queue.async { if manager.discoveryStream.isOpen(number) { manager.handle(.stopScan) } }
            }
        }
        return cameras
    }

    /// Whether there is a link, be it one that is just ending.
    var hasLink: Bool { queue.sync { flow.link != .none } }

    /// Whether the radio listens, or will as soon as it has power.
    var listens: Bool { queue.sync { flow.search != .idle } }

    /// Whether the connection stays after credentials, so that the camera can tell the outcome.
    var connectionStays: Bool { queue.sync { flow.keepsLink } }

    /// Publishes what changed, and only that; the id before the flag that announces it.
    private func publish(_ new: PairingFlow.Published) {
        deviceID.withLock { $0 = new.bleCameraDID }
        if failure != new.failure { failure = new.failure }
        if isListening != (flow.search != .idle) { isListening = flow.search != .idle }
        if isLinked != (flow.link != .none) { isLinked = flow.link != .none }
        if cBManagerState != new.cBManagerState { cBManagerState = new.cBManagerState }
        if authorizationStatus != new.authorizationStatus { authorizationStatus = new.authorizationStatus }
        if cameraList != new.cameraList { cameraList = new.cameraList }
        if wifiList != new.wifiList { wifiList = new.wifiList }
        if wifiListUnavailable != new.wifiListUnavailable { wifiListUnavailable = new.wifiListUnavailable }
        if wifiListComplete != new.wifiListComplete { wifiListComplete = new.wifiListComplete }
        if buttonPressAwaited != new.buttonPressAwaited { buttonPressAwaited = new.buttonPressAwaited }
        if noCameraFound != new.noCameraFound { noCameraFound = new.noCameraFound }
        if credentialsSent != new.credentialsSent { credentialsSent = new.credentialsSent }
        if attempt != new.attempt { attempt = new.attempt }
        if onboardingPage != new.onboardingPage { onboardingPage = new.onboardingPage }
        if pairingOutcome != new.pairingOutcome { pairingOutcome = new.pairingOutcome }
        if setback != new.setback { setback = new.setback }
        if bleCameraDIDFetched != new.bleCameraDIDFetched { bleCameraDIDFetched = new.bleCameraDIDFetched }
        if cameraConnectionStatus != new.cameraConnectionStatus { cameraConnectionStatus = new.cameraConnectionStatus }
    }

    private func perform(_ action: PairingFlow.Action) {
        switch action {
        case .startScanning: radio.startScanning()
        case .stopScanning: radio.stopScanning()
        case .connect(let camera): radio.connect(camera)
        case .cancelConnection(let camera): radio.cancelConnection(camera)
        case .readDeviceID: radio.withLink { $0.readDeviceID() }
        case .requestNetworks: radio.withLink { $0.requestNetworks() }
        case .write(let credentials): radio.withLink { $0.write(credentials) }
        case .start(let timer, let duration): timers.start(timer, duration)
        case .stop(let timer): timers.stop(timer)
        }
    }
}
