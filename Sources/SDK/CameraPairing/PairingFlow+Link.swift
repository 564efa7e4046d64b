import Foundation
import Wire

/// The link to one camera, and the commands on it.
extension PairingFlow {
    var stopLinkTimers: [Action] {
        [Timer.connection, .deviceID, .networks, .list, .pause, .button, .write, .doubt, .outcome].map { .stop($0) }
    }

    /// Says why there is no camera to command: a loss that nobody has heard of yet is the better reason.
    mutating func failWithoutLink() -> [Action] {
        fail(published.failure == .linkLost ? .linkLost : .notConnected)
    }

    mutating func connect(to camera: UUID?) -> [Action] {
        guard let camera, cameras.contains(camera) else { return fail(.cameraUnknown) }
        guard isPoweredOn else { return fail(unusable ?? .bluetoothOff) }
        switch link {
        case .ready(camera, _), .writing(camera, _), .joining(camera, _), .joined(camera):
            published.failure = nil
            return endScan()
        case .connecting(camera):
            published.failure = nil
            return []
        case .none: return beginLink(to: camera)
        case .closing(let old), .switching(let old, _):
            beginAttempt()
            link = .switching(old, to: camera)
            return [.start(.connection, limits.connection)]
        case .ready(let old, _), .writing(let old, _), .joining(let old, _), .joined(let old), .connecting(let old):
            let actions = dropLink(status: nil)
            beginAttempt()
            link = .switching(old, to: camera)
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
    mutating func beginAttempt() {
        published.cameraConnectionStatus = .none
        published.failure = nil
        published.bleCameraDIDFetched = false
        published.bleCameraDID = ""
        published.setback = nil
        informed = nil
        forgetNetworks()
        forgetCredentials()
    }

    private mutating func forgetNetworks() {
        heard = HeardNetworks()
        published.wifiList = []
        published.wifiListComplete = false
        published.wifiListUnavailable = false
    }

    private mutating func forgetCredentials() {
        published.credentialsSent = false
        published.attempt = nil
        published.pairingOutcome = nil
        published.onboardingPage = nil
    }

    /// Ends the link from this side.
    mutating func dropLink(status: CameraConnectionStatus?) -> [Action] {
        if let status { published.cameraConnectionStatus = status }
        switch link {
        case .none: return []
        case .closing(let camera), .switching(let camera, _):
            link = .closing(camera)
            return stopLinkTimers
        case .connecting(let camera), .ready(let camera, _), .writing(let camera, _), .joining(let camera, _),
            .joined(let camera):
            link = .closing(camera)
            return stopLinkTimers + [.cancelConnection(camera)]
        }
    }

    mutating func linkReady(_ camera: UUID, _ kind: ConversationKind) -> [Action] {
        guard link == .connecting(camera) else { return [] }
        link = .ready(camera, kind)
        published.cameraConnectionStatus = .connected
        return endScan() + [.stop(.connection)]
    }

    mutating func linkFailed(_ camera: UUID, _ error: CameraPairingError) -> [Action] {
        guard link.camera == camera, !link.isClosing else { return linkEnded(camera) }
        published.failure = error
        return dropLink(status: .notConnected)
    }

    mutating func linkEnded(_ camera: UUID) -> [Action] {
        guard link.camera == camera else { return [] }
        let before = link
        link = .none
        switch before {
        case .none, .closing: return []
        case .switching(_, let next): return beginLink(to: next)
        case .connecting, .ready, .writing: published.failure = .linkLost
        // Joining the network may cost the camera its Bluetooth: the pairing session tells the rest.
        case .joining: published.failure = .noOutcome
        case .joined: break
        }
        published.cameraConnectionStatus = .notConnected
        return stopLinkTimers
    }

    // MARK: Commands to the camera

    mutating func fetchDeviceID() -> [Action] {
        guard link.isOpen else { return failWithoutLink() }
        published.failure = nil
        published.bleCameraDIDFetched = false
        return [.start(.deviceID, limits.deviceID), .readDeviceID]
    }

    mutating func deviceIDRead(_ text: String) -> [Action] {
        guard link.isOpen, let camera = link.camera else { return [] }
        published.bleCameraDID = text
        published.bleCameraDIDFetched = true
        if !text.isEmpty {
            cameras.identify(camera, as: text)
            published.cameraList = cameras.sorted
        }
        return [.stop(.deviceID)]
    }

    mutating func scanNetworks() -> [Action] {
        guard link.isOpen else { return failWithoutLink() }
        guard case .ready = link else { return fail(.cameraBusy) }
        forgetNetworks()
        published.failure = nil
        return [.stop(.list), .stop(.pause), .requestNetworks]
    }

    mutating func guardNetworks() -> [Action] {
        guard link.isOpen else { return failWithoutLink() }
        return published.wifiListUnavailable ? [] : [.start(.networks, limits.networks)]
    }

    mutating func recordReceived(_ record: NetworkListRecord) -> [Action] {
        guard link.isOpen else { return [] }
        switch record {
        case .network(let network):
            heard.hear(network)
            guard heard.records <= limits.records else {
                published.failure = .networkListEndless
                return dropLink(status: .notConnected)
            }
            published.wifiList = heard.list
            return heard.records == 1 ? [.stop(.networks), .start(.list, limits.list)] : []
        case .end:
            published.wifiListComplete = true
            // The guard goes on: when no other scan finds one, it ends the connection as it was asked to.
            if heard.list.isEmpty { published.failure = .noNetworks }
            return [.stop(.list)]
        case .failed:
            published.failure = .networkScanFailed
            return [.stop(.list)]
        }
    }

    mutating func write(_ details: WiFiDetailModel) -> [Action] {
        guard link.isOpen else { return failWithoutLink() }
        guard case .ready(let camera, let kind) = link else { return fail(.cameraBusy) }
        published.failure = nil
        forgetCredentials()
        do {
            let credentials = try heard.credentials(details, for: kind.pairingProtocol)
            link = .writing(camera, kind)
            return [.stop(.networks), .write(credentials)] + limitWriting()
        } catch {
            return fail(.invalidField(error))
        }
    }

    mutating func written() -> [Action] {
        guard case .writing(let camera, let kind) = link else { return [] }
        informed = camera
        published.credentialsSent = true
        guard kind.keepsLink else { return dropLink(status: .notConnected) }
        link = .joining(camera, kind)
        let limit = kind == .improv ? limits.improvOutcome : limits.outcome
        return [.stop(.write), .stop(.button), .start(.outcome, limit)]
    }

    /// The camera has not taken what it was told.
    mutating func refused(_ error: CameraPairingError) -> [Action] {
        guard link.isOpen else { return [] }
        if case .writing(let camera, let kind) = link { link = .ready(camera, kind) }
        published.failure = error
        return [.stop(.write), .stop(.button), .stop(.list)]
    }

    mutating func doubt(_ error: CameraPairingError) -> [Action] {
        guard link.isOpen else { return [] }
        doubted = error
        return [.start(.doubt, limits.doubt)]
    }

    /// The camera's own word, on layouts that keep the link.
    mutating func stateTold(_ state: PairingState) -> [Action] {
        // What is told at other times is of an attempt before this one.
        guard case .joining(let camera, let kind) = link else { return [] }
        published.attempt = state
        switch state.phase {
        case .waiting, .receiving, .joining, .registering: return []
        case .done:
            link = .joined(camera)
            published.pairingOutcome = .joined
        case .failed:
            link = .ready(camera, kind)
            published.pairingOutcome = .failed(state.failure ?? .internalFault)
        }
        return [.stop(.outcome)]
    }
}
