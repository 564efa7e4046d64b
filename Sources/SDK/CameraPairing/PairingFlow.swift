import CoreBluetooth
import Foundation
import Wire

/// The pairing flow as a pure value: an event goes in, the published state changes, the actions to take come out.
///
/// Two things go on side by side: the scan (idle, waiting for power, scanning) and the link to one camera (none,
/// connecting, ready, closing). ``BLEManager`` feeds it events on its queue and carries the actions out.
struct PairingFlow: Sendable {
    private enum Scan: Equatable {
        case idle, waitingForPower, scanning
        /// For the word of the camera that has the credentials.
        case watching(UUID)
    }

    private enum Link: Equatable {
        case none
        case connecting(UUID)
        case ready(UUID)
        /// The central still has to say that the link is gone; `next` is connected then.
        case closing(UUID, next: UUID?)
    }

    private let limits: Limits
    private var scan = Scan.idle
    private var link = Link.none
    private var cameras = NearbyCameras()
    private var heard = HeardNetworks()
    /// The camera that has acknowledged credentials.
    private var informed: UUID?
    private(set) var published = Published()

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Takes one event and returns what to do, in order.
    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .startScan: startScan()
        case .stopScan: endScan()
        case .connect(let camera): connect(to: camera)
        case .disconnect: endScan() + dropLink(status: link == .none ? nil : .notConnected)
        case .fetchDeviceID: fetchDeviceID()
        case .scanNetworks: scanNetworks()
        case .guardNetworks: isReady ? [.start(.networks, limits.networks)] : failWithoutLink()
        case .write(let details): write(details)
        case .watchForSetback: watchForSetback()
        case .managerState(let state, let authorization): managerChanged(state, authorization)
        case .discovered(let id, let name, let rssi, let state): discovered(id, name, rssi, state)
        case .linkReady(let id): linkReady(id)
        case .linkFailed(let id, let error): linkFailed(id, error)
        case .linkEnded(let id): linkEnded(id)
        case .deviceID(let text): deviceIDRead(text)
        case .record(let record): recordReceived(record)
        case .written(let error): written(error)
        case .expired(let timer): expired(timer)
        }
    }

    /// Whether a camera of this scan has this identifier.
    func knows(_ camera: UUID) -> Bool { cameras.contains(camera) }

    // MARK: Scan

    private var isPoweredOn: Bool { published.cBManagerState == .poweredOn }

    private mutating func startScan() -> [Action] {
        var actions = endScan() + dropLink(status: nil)
        cameras = NearbyCameras()
        heard = HeardNetworks()
        published.cameraList = []
        published.wifiList = []
        published.noCameraFound = false
        published.cameraConnectionStatus = .none
        published.bleCameraDIDFetched = false
        published.bleCameraDID = ""
        published.credentialsSent = false
        published.setback = nil
        published.failure = nil
        informed = nil
        if isPoweredOn {
            actions += beginScan()
        } else {
            scan = .waitingForPower
            noteUnusable()
        }
        return actions
    }

    private mutating func beginScan() -> [Action] {
        scan = .scanning
        return [.startScanning, .start(.scan, limits.scan)]
    }

    private mutating func endScan() -> [Action] {
        defer { scan = .idle }
        return switch scan {
        case .idle, .waitingForPower: []
        case .scanning: [.stop(.scan), .stopScanning]
        case .watching: [.stopScanning]
        }
    }

    /// The camera has left Bluetooth with its credentials; that it comes back is the sign of a failure.
    private mutating func watchForSetback() -> [Action] {
        guard let informed else { return fail(.notConnected) }
        published.setback = nil
        published.failure = nil
        let actions = endScan()
        guard isPoweredOn else {
            noteUnusable()
            return actions
        }
        scan = .watching(informed)
        return actions + [.startScanning]
    }

    private mutating func discovered(_ id: UUID, _ name: String?, _ rssi: Int, _ state: PairingState?) -> [Action] {
        if scan == .watching(id), let state, state.phase == .failed {
            published.setback = state.failure ?? .internalFault
            return endScan()
        }
        guard scan == .scanning else { return [] }
        cameras.hear(id, advertisedName: name, rssi: rssi)
        published.cameraList = cameras.sorted
        return [.stop(.scan)]
    }

    private mutating func managerChanged(_ state: CBManagerState, _ authorization: CBManagerAuthorization) -> [Action] {
        let wasPoweredOn = isPoweredOn
        published.cBManagerState = state
        published.authorizationStatus =
            switch authorization {
            case .allowedAlways: .allowed
            case .denied, .restricted: .notAllowed
            case .notDetermined: .none
            @unknown default: .none
            }
        if state == .poweredOn {
            if case .closing = link { link = .none }
            if !wasPoweredOn { published.failure = nil }
            return scan == .waitingForPower ? beginScan() : []
        }
        noteUnusable()
        guard wasPoweredOn || scan != .idle else { return [] }
        var actions: [Action] = []
        if scan == .scanning {
            scan = .waitingForPower
            actions.append(.stop(.scan))
        }
        if case .watching = scan { scan = .idle }
        if scan == .waitingForPower, state == .poweredOff { published.authorizationStatus = .notAllowed }
        // The system ends every link without a word when the power goes.
        if link != .none {
            link = .none
            published.cameraConnectionStatus = .notConnected
            actions += stopLinkTimers
        }
        return actions
    }

    private mutating func noteUnusable() {
        published.failure =
            switch published.cBManagerState {
            case .poweredOff: .bluetoothOff
            case .unauthorized: .bluetoothNotAllowed
            case .unsupported: .bluetoothUnsupported
            default: published.failure
            }
    }

    // MARK: Link

    private var isReady: Bool {
        if case .ready = link { true } else { false }
    }

    private var stopLinkTimers: [Action] { [.stop(.connection), .stop(.networks), .stop(.write)] }

    private mutating func fail(_ error: CameraPairingError) -> [Action] {
        published.failure = error
        return []
    }

    /// Says why there is no camera to command: a loss that nobody has heard of yet is the better reason.
    private mutating func failWithoutLink() -> [Action] {
        fail(published.failure == .linkLost ? .linkLost : .notConnected)
    }

    private mutating func connect(to camera: UUID?) -> [Action] {
        guard let camera, cameras.contains(camera) else { return fail(.cameraUnknown) }
        switch link {
        case .ready(camera): return endScan()
        case .connecting(camera): return []
        case .none:
            return beginLink(to: camera)
        case .closing(let old, _):
            beginAttempt()
            link = .closing(old, next: camera)
            return [.start(.connection, limits.connection)]
        case .ready(let old), .connecting(let old):
            let actions = dropLink(status: nil)
            beginAttempt()
            link = .closing(old, next: camera)
            return actions + [.start(.connection, limits.connection)]
        }
    }

    private mutating func beginLink(to camera: UUID) -> [Action] {
        beginAttempt()
        link = .connecting(camera)
        return [.connect(camera), .start(.connection, limits.connection)]
    }

    /// Forgets what was published of the camera before, its status too: an observer sees each attempt's own outcome, even
    /// when it is that of the last one.
    private mutating func beginAttempt() {
        published.cameraConnectionStatus = .none
        published.failure = nil
        published.bleCameraDIDFetched = false
        published.bleCameraDID = ""
        published.credentialsSent = false
        published.setback = nil
        informed = nil
        heard = HeardNetworks()
        published.wifiList = []
    }

    /// Ends the link from this side.
    private mutating func dropLink(status: CameraConnectionStatus?) -> [Action] {
        if let status { published.cameraConnectionStatus = status }
        switch link {
        case .none: return []
        case .closing(let camera, _):
            link = .closing(camera, next: nil)
            return stopLinkTimers
        case .connecting(let camera), .ready(let camera):
            link = .closing(camera, next: nil)
            return stopLinkTimers + [.cancelConnection(camera)]
        }
    }

    private mutating func linkReady(_ camera: UUID) -> [Action] {
        guard link == .connecting(camera) else { return [] }
        link = .ready(camera)
        published.cameraConnectionStatus = .connected
        return endScan() + [.stop(.connection)]
    }

    private mutating func linkFailed(_ camera: UUID, _ error: CameraPairingError) -> [Action] {
        guard link == .connecting(camera) || link == .ready(camera) else { return linkEnded(camera) }
        published.failure = error
        return dropLink(status: .notConnected)
    }

    private mutating func linkEnded(_ camera: UUID) -> [Action] {
        switch link {
        case .closing(camera, let next):
            link = .none
            return next.map { beginLink(to: $0) } ?? []
        case .connecting(camera), .ready(camera):
            link = .none
            published.cameraConnectionStatus = .notConnected
            if !published.credentialsSent { published.failure = .linkLost }
            return stopLinkTimers
        default:
            return []
        }
    }

    // MARK: Commands to the camera

    private mutating func fetchDeviceID() -> [Action] {
        guard isReady else { return failWithoutLink() }
        published.failure = nil
        published.bleCameraDIDFetched = false
        return [.readDeviceID]
    }

    private mutating func deviceIDRead(_ text: String) -> [Action] {
        guard case .ready(let camera) = link else { return [] }
        published.bleCameraDID = text
        published.bleCameraDIDFetched = true
        if !text.isEmpty {
            cameras.identify(camera, as: text)
            published.cameraList = cameras.sorted
        }
        return []
    }

    private mutating func scanNetworks() -> [Action] {
        guard isReady else { return failWithoutLink() }
        heard = HeardNetworks()
        published.wifiList = []
        published.failure = nil
        return [.requestNetworks]
    }

    private mutating func recordReceived(_ record: NetworkListRecord) -> [Action] {
        guard isReady else { return [] }
        switch record {
        case .network(let network):
            heard.hear(network)
            published.wifiList = heard.list
            return [.stop(.networks)]
        case .end: return []
        case .failed: return fail(.networkScanFailed)
        }
    }

    private mutating func write(_ details: WiFiDetailModel) -> [Action] {
        guard isReady else { return failWithoutLink() }
        published.failure = nil
        do {
            return [.write(try heard.credentials(details)), .start(.write, limits.write)]
        } catch {
            return fail(.invalidField(error))
        }
    }

    private mutating func written(_ error: CameraPairingError?) -> [Action] {
        guard case .ready(let camera) = link else { return [] }
        if let error {
            published.failure = error
            return [.stop(.write)]
        }
        informed = camera
        published.credentialsSent = true
        return dropLink(status: .notConnected)
    }

    private mutating func expired(_ timer: Timer) -> [Action] {
        switch timer {
        case .scan:
            guard scan == .scanning, cameras.sorted.isEmpty else { return [] }
            published.noCameraFound = true
            published.failure = .noCameraFound
            return endScan()
        case .connection:
            guard !isReady, link != .none else { return [] }
            published.failure = .connectionTimedOut
            return dropLink(status: .notConnected)
        case .networks:
            guard isReady, published.wifiList.isEmpty else { return [] }
            published.failure = .noNetworks
            return dropLink(status: .notConnected)
        case .write:
            guard isReady else { return [] }
            published.failure = .writeTimedOut
            return dropLink(status: .notConnected)
        }
    }
}
