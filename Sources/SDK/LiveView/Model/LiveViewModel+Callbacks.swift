import Basics
public import Foundation
public import Wire

/// The documented callbacks. Source: seed 004, 'Observing the status of Live View'.
///
/// Assign them before connecting, from any thread, and clear them when the screen goes away: the model outlives it. They
/// are called on the main queue.
extension LiveViewModel {
    struct Callbacks: Sendable {
        var onConnected: (@MainActor () -> Void)?
        var onLiveViewTerminate: (@MainActor () -> Void)?
        var onError: (@MainActor () -> Void)?
        var onReconnect: (@MainActor () -> Void)?
        var onTimeout: (@MainActor () -> Void)?
        var onDataChannelMessage: (@MainActor (_ data: Data) -> Void)?
        var onDataChannelOpen: (@MainActor (_ isOpen: Bool) -> Void)?
        var onDeviceRefresh: (@MainActor (_ device: DeviceModel) -> Void)?
        var onFrameTimeout: (@MainActor () -> Void)?
        var onStreamEnded: (@MainActor () -> Void)?
        var onStreamFailed: (@MainActor () -> Void)?
    }

    /// The stream is up: the first frame of a connection has been decoded.
    public var onConnected: (@MainActor () -> Void)? {
        get { callbacks.withLock { $0.onConnected } }
        set { replace(\.onConnected, newValue) }
    }

    /// The session was torn down by this side.
    public var onLiveViewTerminate: (@MainActor () -> Void)? {
        get { callbacks.withLock { $0.onLiveViewTerminate } }
        set { replace(\.onLiveViewTerminate, newValue) }
    }

    /// It was given up; ``lastError`` says why.
    public var onError: (@MainActor () -> Void)? {
        get { callbacks.withLock { $0.onError } }
        set { replace(\.onError, newValue) }
    }

    /// The connection is made anew.
    public var onReconnect: (@MainActor () -> Void)? {
        get { callbacks.withLock { $0.onReconnect } }
        set { replace(\.onReconnect, newValue) }
    }

    /// No frame came within 30 s.
    public var onTimeout: (@MainActor () -> Void)? {
        get { callbacks.withLock { $0.onTimeout } }
        set { replace(\.onTimeout, newValue) }
    }

    /// A message on the data channel that is none of the SDK's own.
    public var onDataChannelMessage: (@MainActor (_ data: Data) -> Void)? {
        get { callbacks.withLock { $0.onDataChannelMessage } }
        set { replace(\.onDataChannelMessage, newValue) }
    }

    /// The data channel opened or closed.
    public var onDataChannelOpen: (@MainActor (_ isOpen: Bool) -> Void)? {
        get { callbacks.withLock { $0.onDataChannelOpen } }
        set { replace(\.onDataChannelOpen, newValue) }
    }

    /// The device's record was read again before reconnecting.
    public var onDeviceRefresh: (@MainActor (_ device: DeviceModel) -> Void)? {
        get { callbacks.withLock { $0.onDeviceRefresh } }
        set { replace(\.onDeviceRefresh, newValue) }
    }

    /// No frame came for 15 s.
    public var onFrameTimeout: (@MainActor () -> Void)? {
        get { callbacks.withLock { $0.onFrameTimeout } }
        set { replace(\.onFrameTimeout, newValue) }
    }

    /// The camera ended the stream.
    public var onStreamEnded: (@MainActor () -> Void)? {
        get { callbacks.withLock { $0.onStreamEnded } }
        set { replace(\.onStreamEnded, newValue) }
    }

    /// The stream failed.
    public var onStreamFailed: (@MainActor () -> Void)? {
        get { callbacks.withLock { $0.onStreamFailed } }
        set { replace(\.onStreamFailed, newValue) }
    }

    /// The old one is let go after the lock: what it holds may call back as it goes.
    private func replace<Callback: Sendable>(
        _ path: any WritableKeyPath<Callbacks, Callback> & Sendable, _ callback: Callback
    ) {
        let old = callbacks.withLock { callbacks in
            defer { callbacks[keyPath: path] = callback }
            return callbacks[keyPath: path]
        }
        withExtendedLifetime(old) {}
    }
}
