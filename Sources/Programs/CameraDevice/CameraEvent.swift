import Foundation
public import Wire

/// What a camera tells whoever runs it, in the order it happens. Shows no secret.
public enum CameraEvent: Sendable, Equatable, CustomStringConvertible {
    /// Where pictures come from: a device's path, or a test pattern and why. Told once, at the start.
    case filming(String)
    /// What joins networks, or that nothing has to. Told once, at the start.
    case networks(String)
    /// The camera has made itself a setup code, for the label that whoever pairs it reads. This is the only time that it
    /// can be told: nothing but its verifier is kept.
    case setupCode(SetupCode)
    /// Somebody has tried a wrong setup code; after so many more pairing is locked.
    case setupCodeWrong(triesLeft: Int)
    /// Too many wrong setup codes: nobody pairs the camera for so long.
    case pairingLocked(Duration)
    /// Far too many wrong setup codes: nobody pairs the camera until it is started again.
    case pairingEnded
    /// The camera waits to be paired, under this Bluetooth name.
    case advertising(name: String)
    /// A client reads or writes.
    case clientConnected
    /// That client is gone.
    case clientDisconnected
    /// A client has applied credentials.
    case credentialsReceived(ssid: String)
    /// The camera joins the network.
    case joining(ssid: String)
    /// The camera is on the network.
    case joined(ssid: String)
    /// The camera belongs to a space, under this name.
    case registered(name: String)
    /// The attempt failed; the camera waits again.
    case pairingFailed(PairingFailure)
    /// The cloud has proved the camera's key: it is usable.
    case online
    /// The connection to the cloud is down; the next attempt is due after the wait.
    case offline(reason: String, retryIn: Duration)
    /// A viewer's set-up was answered; the number counts this one.
    case viewerJoined(viewers: Int)
    /// A live session ended; the number counts those that stay.
    case viewerLeft(viewers: Int)
    /// The owner removed the camera from the space: it forgets its pairing and waits to be paired again.
    case removed
    /// The camera cannot go on, has given back all it held, and has stopped. The last event.
    case failed(CameraError)

    /// One line for a terminal.
    public var description: String {
        switch self {
        case .filming(let source): "filming \(source)"
        case .networks(let summary): "Wi-Fi: \(summary)"
        case .setupCode: "a setup code was made"
        case .setupCodeWrong(let left): "a wrong setup code was tried; \(left) tries left"
        case .pairingLocked(let time): "too many wrong setup codes: pairing is locked for \(time.formatted())"
        case .pairingEnded: "too many wrong setup codes: start the camera again to pair it"
        case .advertising(let name): "waiting to be paired as \(name), which apps call 'Camera \(name.suffix(4))'"
        case .clientConnected: "a client has connected"
        case .clientDisconnected: "the client has disconnected"
        case .credentialsReceived(let ssid): "credentials received for \(ssid)"
        case .joining(let ssid): "joining \(ssid)"
        case .joined(let ssid): "joined \(ssid)"
        case .registered(let name): "registered with the cloud as \(name)"
        case .pairingFailed(let failure): "pairing failed: \(failure)"
        case .online: "online"
        case .offline(let reason, let wait):
            "offline (\(reason)); next attempt in \(wait.formatted(.units(allowed: [.seconds, .milliseconds])))"
        case .viewerJoined(let viewers): "viewer joined; \(viewers) watching"
        case .viewerLeft(let viewers): "viewer left; \(viewers) watching"
        case .removed: "removed from its space"
        case .failed(let error): "stopped: \(error)"
        }
    }
}
