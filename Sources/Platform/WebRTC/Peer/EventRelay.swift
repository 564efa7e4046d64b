internal import Basics

/// Brings the engine's events to a connection that is made after the engine, and may end before it.
final class EventRelay: Sendable {
    private struct Target {
        weak var connection: RTCPeerConnection?
    }

    private let target = Locked(Target())

    func connect(to connection: RTCPeerConnection) { target.withLock { $0.connection = connection } }

    func forward(_ event: WebRTCBin.Event) { target.withLock { $0.connection }?.engineReports(event) }
}
