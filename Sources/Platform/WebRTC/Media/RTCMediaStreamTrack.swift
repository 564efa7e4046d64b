internal import Basics

/// Whether a track can still carry media.
public enum RTCMediaStreamTrackState: Int, Sendable {
    /// It can.
    case live
    /// It never will again.
    case ended
}

/// One stream of pictures or sound. State is behind one lock; everything may be used from any thread.
public class RTCMediaStreamTrack: @unchecked Sendable {
    // Unchecked because it is not final; its own state is Locked and immutable values, and so is its only subclass's.

    /// `video` or `audio`.
    public let kind: String
    /// The name of the track, unique within a connection.
    public let trackId: String

    private let enabled = Locked(true)
    private let state = Locked(RTCMediaStreamTrackState.live)

    init(kind: String, trackId: String) {
        self.kind = kind
        self.trackId = trackId
    }

    /// Whether media passes. Switched off, a received track hands no frame to its renderers, and a sent one sends none;
    /// switched on again, the sent one begins with a key frame.
    public var isEnabled: Bool {
        get { enabled.withLock { $0 } }
        set {
            enabled.withLock { $0 = newValue }
            enabledChanged()
        }
    }

    /// Whether the track can still carry media.
    public var readyState: RTCMediaStreamTrackState { state.withLock { $0 } }

    func end() { state.withLock { $0 = .ended } }

    /// For subclasses: called after ``isEnabled`` was set.
    func enabledChanged() {}
}
