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
    // Unchecked because `flow`, `central`, `link` and `timers` are touched only on `queue`, and `Published` guards its
    // own storage.

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
    /// The camera has acknowledged every field of the last ``updateWifiInfo(wifiInfo:)``. Beyond the seed.
    @Published public private(set) var credentialsSent = false
    /// Why the camera that took the credentials waits to be paired again, heard by ``watchForSetback()``. Beyond the seed.
    @Published public private(set) var setback: PairingFailure?
    /// Why the last step failed; nil once a later one began. Beyond the seed.
    @Published public private(set) var failure: CameraPairingError?

    /// The connected camera's device id; empty when it has none to report. Read it once ``bleCameraDIDFetched`` is true.
    public var bleCameraDID: String { deviceID.withLock { $0 } }

    private static let currentManager = DispatchSpecificKey<ObjectIdentifier>()

    private let deviceID = Locked("")
    private let queue = DispatchQueue(label: "porchlight.pairing")
    private let clock: any Clock<Duration>
    private let centralOptions: CentralOptions
    private var flow: PairingFlow
    private var central: CBCentralManager?
    private var observer: CentralObserver?
    private var link: PairingLink?
    private var peripherals: [UUID: CBPeripheral] = [:]
    private var timers: [PairingFlow.Timer: RunningTimer] = [:]
    private var timersStarted = 0

    private struct RunningTimer {
        var number: Int
        var task: Task<Void, Never>
    }

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

    init(clock: any Clock<Duration>, centralOptions: [String: Any]?, limits: PairingFlow.Limits) {
        self.clock = clock
        self.centralOptions = CentralOptions(values: centralOptions)
        flow = PairingFlow(limits: limits)
        super.init()
        queue.setSpecific(key: Self.currentManager, value: ObjectIdentifier(self))
    }

    deinit { for timer in timers.values { timer.task.cancel() } }

    // MARK: Commands

    /// Creates the central and begins to deliver its state. On systems that ask people for permission, this asks.
    public func initCBCentralManager() { run { $0.createCentral() } }

    /// Begins a new search: empties the lists, drops a connection, sets the status to `.none`.
    ///
    /// Creates the central where there is none, and waits for power. When nothing is found within 30 s,
    /// ``noCameraFound`` becomes true and the scan ends; once a camera was found it goes on until one is connected.
    public func startScan() {
        run { manager in
            manager.createCentral()
            manager.handle(.startScan)
            manager.peripherals = [:]
        }
    }

    /// Ends the search. Done by itself once a camera is connected.
    public func stopScan() { send(.stopScan) }

    /// Connects to a camera of ``cameraList``.
    ///
    /// The camera that is connected already is left as it is and the scan stops; another one that is connected is
    /// dropped first. The status becomes `.connected` when the camera is ready, `.notConnected` after 20 s.
    public func connectToCamera(camera: BLECamera?) { send(.connect(camera?.identifier)) }

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
    /// has acknowledged the last field, ``credentialsSent`` becomes true and the connection is dropped. Whether the
    /// camera gets onto the network is told by the status of its pairing session.
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
    package var centralManager: CBCentralManager? { queue.sync { central } }

    // MARK: On the queue

    private func createCentral() {
        guard central == nil else { return }
        let observer = CentralObserver(owner: self)
        self.observer = observer
        central = CBCentralManager(delegate: observer, queue: queue, options: centralOptions.values)
    }

    fileprivate func managerChanged(_ state: CBManagerState) {
        handle(.managerState(state, CBCentralManager.authorization))
    }

    fileprivate func discovered(_ peripheral: CBPeripheral, _ advertisement: [String: Any], _ rssi: Int) {
        let name = advertisement[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name
        let state = (advertisement[CBAdvertisementDataManufacturerDataKey] as? Data)
            .flatMap(PairingAdvertisement.init(manufacturerData:))?.state
        handle(.discovered(peripheral.identifier, advertisedName: name, rssi: rssi, state: state))
        if flow.knows(peripheral.identifier) { peripherals[peripheral.identifier] = peripheral }
    }

    fileprivate func connected(_ peripheral: CBPeripheral) {
        let link = PairingLink(peripheral) { [weak self] event in self?.handle(event) }
        self.link = link
        link.begin()
    }

    fileprivate func failedToConnect(_ peripheral: CBPeripheral, _ error: (any Error)?) {
        let reason = error?.localizedDescription ?? "the camera did not say why"
        handle(.linkFailed(peripheral.identifier, .connectionFailed(reason)))
        handle(.linkEnded(peripheral.identifier))
    }

    fileprivate func disconnected(_ peripheral: CBPeripheral) {
        link?.end()
        link = nil
        handle(.linkEnded(peripheral.identifier))
    }

    private func handle(_ event: PairingFlow.Event) {
        dispatchPrecondition(condition: .onQueue(queue))
        let actions = flow.handle(event)
        publish(flow.published)
        for action in actions { perform(action) }
    }

    /// Publishes what changed, and only that; the id before the flag that announces it.
    private func publish(_ new: PairingFlow.Published) {
        deviceID.withLock { $0 = new.bleCameraDID }
        if failure != new.failure { failure = new.failure }
        if cBManagerState != new.cBManagerState { cBManagerState = new.cBManagerState }
        if authorizationStatus != new.authorizationStatus { authorizationStatus = new.authorizationStatus }
        if cameraList != new.cameraList { cameraList = new.cameraList }
        if wifiList != new.wifiList { wifiList = new.wifiList }
        if noCameraFound != new.noCameraFound { noCameraFound = new.noCameraFound }
        if credentialsSent != new.credentialsSent { credentialsSent = new.credentialsSent }
        if setback != new.setback { setback = new.setback }
        if bleCameraDIDFetched != new.bleCameraDIDFetched { bleCameraDIDFetched = new.bleCameraDIDFetched }
        if cameraConnectionStatus != new.cameraConnectionStatus { cameraConnectionStatus = new.cameraConnectionStatus }
    }

    private func perform(_ action: PairingFlow.Action) {
        switch action {
        case .startScanning:
            central?.scanForPeripherals(
                withServices: [PairingLink.service], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        case .stopScanning: central?.stopScan()
        case .connect(let id):
            guard let peripheral = peripherals[id] else { return handle(.linkFailed(id, .cameraUnknown)) }
            central?.connect(peripheral, options: nil)
        case .cancelConnection(let id):
            link?.end()
            link = nil
            if let peripheral = peripherals[id] { central?.cancelPeripheralConnection(peripheral) }
        case .readDeviceID: link?.readDeviceID()
        case .requestNetworks: link?.requestNetworks()
        case .write(let credentials): link?.write(credentials)
        case .start(let timer, let duration): start(timer, duration)
        case .stop(let timer): timers.removeValue(forKey: timer)?.task.cancel()
        }
    }

    private func start(_ timer: PairingFlow.Timer, _ duration: Duration) {
        timers[timer]?.task.cancel()
        timersStarted += 1
        let number = timersStarted
        let task = Task { [weak self, clock] in
            guard (try? await clock.sleep(for: duration)) != nil, let self else { return }
            queue.async { self.expired(timer, number: number) }
        }
        timers[timer] = RunningTimer(number: number, task: task)
    }

    /// A timer that was stopped or started again after it had fired is told apart by its number.
    private func expired(_ timer: PairingFlow.Timer, number: Int) {
        guard timers[timer]?.number == number else { return }
        timers[timer] = nil
        handle(.expired(timer))
    }
}

/// The central's delegate, apart so that the public class does not show the calls. On the manager's queue.
private final class CentralObserver: NSObject, CBCentralManagerDelegate {
    private weak let owner: BLEManager?

    init(owner: BLEManager) { self.owner = owner }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { owner?.managerChanged(central.state) }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        owner?.discovered(peripheral, advertisementData, rssi.intValue)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        owner?.connected(peripheral)
    }

    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        owner?.failedToConnect(peripheral, error)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        owner?.disconnected(peripheral)
    }
}
