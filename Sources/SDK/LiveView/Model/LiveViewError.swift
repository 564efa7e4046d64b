public import CloudClient
import Foundation
public import WebRTC
import Wire

/// Why there is no live view.
public enum LiveViewError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The cloud cannot be asked, or said no.
    case cloud(CloudError)
    /// The media engine of this machine, or what the camera answered, does not do.
    case media(WebRTCError)
    /// No frame came within the time for connecting.
    case connectTimedOut(after: Duration)
    /// Frames stopped coming.
    case frameTimedOut(after: Duration)
    /// The camera ended the stream, with its reason for a person.
    case streamEnded(reason: String)
    /// The connection broke, or the camera's side failed.
    case streamFailed(reason: String)
    /// The camera is not connected to the cloud.
    case cameraOffline
    /// The camera's lens is closed by its owner.
    case privacy
    /// There is no connection: `connect` was not called, or it was disconnected since.
    case disconnected
    /// There is no frame to take a picture of.
    case noFrame
    /// The waiting task was cancelled.
    case cancelled

    /// What happened, and what to do next.
    public var description: String {
        switch self {
        case .cloud(let error): error.description
        case .media(let error): error.description
        case .connectTimedOut(let limit):
            "no picture came within \(Self.text(limit)); check the camera's network and that UDP is not blocked"
        case .frameTimedOut(let limit): "no picture came for \(Self.text(limit)); connect again"
        case .streamEnded(let reason): "the camera ended the stream" + Self.suffix(reason)
        case .streamFailed(let reason): "the stream failed" + Self.suffix(reason) + "; connect again"
        case .cameraOffline: "the camera is not connected to the cloud; check its power and network"
        case .privacy: "the camera is in privacy mode; end it at the camera or in its settings"
        case .disconnected: "the live view is not connected; call connect first"
        case .noFrame: "no frame has been received yet; wait until the live view is connected"
        case .cancelled: "waiting for the live view was cancelled"
        }
    }

    private static func text(_ duration: Duration) -> String { duration.formatted(.units(width: .narrow)) }
    private static func suffix(_ reason: String) -> String { reason.isEmpty ? "" : ": \(reason)" }
}

extension LiveViewError {
    /// Whether a new attempt may do better, so that the device's record decides.
    var mayPass: Bool {
        switch self {
        case .cloud(let error): error.isTransient || error.apiError?.code == .deviceOffline
        case .media(.negotiationFailed), .media(.unacceptableDescription): true
        case .media, .privacy, .cameraOffline, .disconnected, .noFrame, .cancelled: false
        case .connectTimedOut, .frameTimedOut, .streamEnded, .streamFailed: true
        }
    }
}
