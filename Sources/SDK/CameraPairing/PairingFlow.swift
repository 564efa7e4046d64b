import CoreBluetooth
import Foundation
import Wire

/// The pairing flow as a pure value: an event goes in, the published state changes, the actions to take come out.
///
/// Two state machines go on side by side, ``Search`` and ``Link``; the guide draws both. ``BLEManager`` feeds it events on
/// its queue and carries the actions out.
struct PairingFlow: Sendable {
    let limits: Limits
    private(set) var search = Search.idle
    var link = Link.none {
        didSet { if !link.isOpen { published.buttonPressAwaited = false } }
    }
    var cameras = NearbyCameras()
    var heard = HeardNetworks()
    /// The camera that has acknowledged credentials.
    var informed: UUID?
    /// A refusal that may be the end of the link.
    var doubted: CameraPairingError?
    var published = Published()
    /// Counts the scans, for who waits for the end of one.
    private(set) var scans = 0
    /// How often the camera that has credentials was heard waiting for a client.
    private(set) var timesHeardWaiting = 0

    /// A camera that took credentials and is heard waiting this often has lost them. The first may be an old packet.
    private static let signsOfRestart = 3

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Takes one event and returns what to do, in order.
    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .startScan: startScan()
        case .stopScan: endScan()
        case .connect(let camera): connect(to: camera)
        case .misuse(let error): fail(error)
        case .disconnect: endScan() + dropLink(status: link == .none ? nil : .notConnected)
        case .fetchDeviceID: fetchDeviceID()
        case .scanNetworks: scanNetworks()
        case .guardNetworks: guardNetworks()
        case .write(let details): write(details)
        case .watchForSetback: watchForSetback()
        case .managerState(let state, let authorization): managerChanged(state, authorization)
        case .discovered(let id, let sighting): discovered(id, sighting)
        case .linkReady(let id, let kind): linkReady(id, kind)
        case .linkFailed(let id, let error): linkFailed(id, error)
        case .linkEnded(let id): linkEnded(id)
        case .deviceID(let text): deviceIDRead(text)
        case .named(let name): named(name)
        case .record(let record): recordReceived(record)
        case .networksPaused: networksPaused()
        case .networksUnavailable: networksUnavailable()
        case .buttonPress(let awaited): buttonPress(awaited)
        case .written: written()
        case .refused(let error, let inDoubt): inDoubt ? doubt(error) : refused(error)
        case .state(let state): stateTold(state)
        case .page(let page): pageTold(page)
        case .expired(let timer): expired(timer)
        }
    }

    /// Whether a camera of this scan has this identifier.
    func knows(_ camera: UUID) -> Bool { cameras.contains(camera) }

    /// Whether a scan for cameras is on, or begins with the power.
    var isSearching: Bool { search == .scanning || search == .waitingForPower }

    /// Whether the link stays after the credentials, or has stayed.
    var keepsLink: Bool {
        switch link {
        case .ready(_, let kind), .writing(_, let kind), .joining(_, let kind): kind.keepsLink
        case .joined: true
        case .none, .connecting, .closing, .switching: false
        }
    }

    mutating func fail(_ error: CameraPairingError) -> [Action] {
        published.failure = error
        return []
    }

    // MARK: Search

    var isPoweredOn: Bool { published.cBManagerState == .poweredOn }

    private mutating func startScan() -> [Action] {
        var actions = endScan() + dropLink(status: nil)
        scans += 1
        cameras = NearbyCameras()
        published.cameraList = []
        published.noCameraFound = false
        beginAttempt()
        if isPoweredOn {
            actions += beginScan()
        } else {
            search = .waitingForPower
            noteUnusable()
        }
        return actions
    }

    private mutating func beginScan() -> [Action] {
        search = .scanning
        return [.startScanning, .start(.scan, limits.scan), .start(.fade, limits.fade)]
    }

    mutating func endScan() -> [Action] {
        defer { search = .idle }
        return switch search {
        case .idle, .waitingForPower: []
        case .scanning: [.stop(.scan), .stop(.fade), .stopScanning]
        case .watching: [.stop(.setback), .stopScanning]
        }
    }

    /// The camera has left Bluetooth with its credentials; that it comes back is the sign of a failure.
    private mutating func watchForSetback() -> [Action] {
        guard let informed else { return fail(.notConnected) }
        published.setback = nil
        published.failure = nil
        timesHeardWaiting = 0
        let actions = endScan()
        guard isPoweredOn else {
            noteUnusable()
            return actions
        }
        search = .watching(informed)
        return actions + [.startScanning, .start(.setback, limits.setback)]
    }

    private mutating func discovered(_ id: UUID, _ sighting: Sighting) -> [Action] {
        if search == .watching(id) { return heardAgain(sighting.state) }
        guard search == .scanning else { return [] }
        cameras.hear(id, sighting)
        published.cameraList = cameras.sorted
        return [.stop(.scan)]
    }

    private mutating func heardAgain(_ state: PairingState?) -> [Action] {
        switch state?.phase {
        case .failed:
            published.setback = state?.failure ?? .internalFault
            return endScan()
        case .waiting:
            timesHeardWaiting += 1
            guard timesHeardWaiting >= Self.signsOfRestart else { return [] }
            published.failure = .cameraRestarted
            return endScan()
        default:
            return []
        }
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
            if !wasPoweredOn { published.failure = nil }
            let actions = link.isClosing ? link.camera.map { linkEnded($0) } ?? [] : []
            return actions + (search == .waitingForPower ? beginScan() : [])
        }
        noteUnusable()
        guard wasPoweredOn || search != .idle else { return [] }
        var actions: [Action] = []
        switch search {
        case .scanning:
            search = .waitingForPower
            actions += [.stop(.scan), .stop(.fade)]
        case .watching:
            search = .idle
            actions.append(.stop(.setback))
        case .idle, .waitingForPower: break
        }
        if search == .waitingForPower, state == .poweredOff { published.authorizationStatus = .notAllowed }
        // The system ends every link without a word when the power goes.
        if link != .none {
            link = .none
            published.cameraConnectionStatus = .notConnected
            actions += stopLinkTimers
        }
        return actions
    }

    private mutating func noteUnusable() { published.failure = unusable ?? published.failure }

    /// Why Bluetooth is of no use, as far as it is known.
    var unusable: CameraPairingError? {
        switch published.cBManagerState {
        case .poweredOff: .bluetoothOff
        case .unauthorized: .bluetoothNotAllowed
        case .unsupported: .bluetoothUnsupported
        default: nil
        }
    }

    // MARK: Time limits

    private mutating func expired(_ timer: Timer) -> [Action] {
        switch timer {
        case .scan:
            guard search == .scanning, cameras.sorted.isEmpty else { return [] }
            published.noCameraFound = true
            published.failure = .noCameraFound
            return endScan()
        case .fade:
            guard search == .scanning else { return [] }
            let wasEmpty = cameras.sorted.isEmpty
            cameras.tick(linked: link.camera)
            published.cameraList = cameras.sorted
            let isEmptyNow = published.cameraList.isEmpty && !wasEmpty
            return [.start(.fade, limits.fade)] + (isEmptyNow ? [.start(.scan, limits.scan)] : [])
        case .setback:
            guard case .watching = search else { return [] }
            published.failure = .noOutcome
            return endScan()
        case .connection:
            guard !link.isOpen, link != .none else { return [] }
            return giveUp(.connectionTimedOut)
        case .deviceID:
            guard link.isOpen else { return [] }
            return giveUp(.noAnswer(to: "the question for its device id"))
        case .networks:
            guard case .ready = link, published.wifiList.isEmpty else { return [] }
            return giveUp(.noNetworks)
        case .list:
            if link.isOpen { published.wifiListComplete = true }
            return []
        case .pause:
            return link.isOpen ? recordReceived(.end(count: heard.records)) : []
        case .write, .button:
            guard case .writing = link else { return [] }
            return giveUp(timer == .button ? .buttonNotPressed : .writeTimedOut)
        case .doubt:
            guard link.isOpen, let error = doubted else { return [] }
            return refused(error)
        case .outcome:
            guard case .joining(_, let kind) = link else { return [] }
            // By its standard the device has given up, even if it does not say so.
            return kind == .improv
                ? stateTold(PairingState(phase: .failed, failure: .couldNotJoin)) : giveUp(.noOutcome)
        }
    }

    private mutating func giveUp(_ error: CameraPairingError) -> [Action] {
        published.failure = error
        return dropLink(status: .notConnected)
    }
}
