import CameraDevice
import Foundation
import Wire

/// An event of a camera, as `porchlight camera` prints it: for people, or as an object of JSON with a name and fields.
struct CameraEventLine: Encodable {
    /// What happened, for programs.
    var event: String
    /// The same for a person. Without a setup code, which has a field of its own.
    var text: String
    var code: String?
    var failure: PairingFailure?
    var name: String?
    var reason: String?
    var seconds: Double?
    var source: String?
    var ssid: String?
    var triesLeft: Int?
    var viewers: Int?

    /// The line of an event.
    init(_ event: CameraEvent) {
        text = "\(event)"
        switch event {
        case .filming(let source): (self.event, self.source) = ("filming", source)
        case .networks: self.event = "networks"
        case .setupCode(let code): (self.event, self.code) = ("setup-code", code.printed)
        case .setupCodeWrong(let left): (self.event, triesLeft) = ("setup-code-wrong", left)
        case .pairingLocked(let time): (self.event, seconds) = ("pairing-locked", time / .seconds(1))
        case .pairingEnded: self.event = "pairing-ended"
        case .advertising(let name): (self.event, self.name) = ("advertising", name)
        case .clientConnected: self.event = "client-connected"
        case .clientDisconnected: self.event = "client-disconnected"
        case .credentialsReceived(let ssid): (self.event, self.ssid) = ("credentials-received", ssid)
        case .joining(let ssid): (self.event, self.ssid) = ("joining", ssid)
        case .joined(let ssid): (self.event, self.ssid) = ("joined", ssid)
        case .registered(let name): (self.event, self.name) = ("registered", name)
        case .pairingFailed(let failure): (self.event, self.failure) = ("pairing-failed", failure)
        case .online: self.event = "online"
        case .offline(let reason, let wait):
            (self.event, self.reason, seconds) = ("offline", reason, wait / .seconds(1))
        case .viewerJoined(let viewers): (self.event, self.viewers) = ("viewer-joined", viewers)
        case .viewerLeft(let viewers): (self.event, self.viewers) = ("viewer-left", viewers)
        case .removed: self.event = "removed"
        case .failed(let error): (self.event, reason) = ("failed", "\(error)")
        }
    }

    /// One line for a terminal; the only one that shows a setup code.
    var line: String {
        guard let code else { return text }
        return "Setup code \(code), for the camera's label; it is not kept, and not shown again"
    }
}
