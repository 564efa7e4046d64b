internal import Basics
import CGStreamer
import Dispatch

/// Whether a source delivers.
public enum RTCSourceState: Int, Sendable {
    /// Not started.
    case initializing
    /// Capturing and encoding.
    case live
    /// Stopped, by ``RTCVideoSource/stopCapture()`` or by a fault; it may be started again.
    case ended
    /// Never taken by this module.
    case muted
}

/// A camera or test picture with one H.264 encoder, however many peer connections carry its tracks.
///
/// The stream is constrained baseline, level 3.1 up to 1280 × 720 at 30 frames: what every peer can decode. Each viewer
/// that joins makes the encoder put out a key frame at once. Everything may be used from any thread: state is behind one
/// lock, and starting and stopping happen one after the other on a queue.
public final class RTCVideoSource: Sendable {
    private struct State {
        var capture: CapturePipeline?
        /// Counts captures, so that a late word of an old one is known as such.
        var generation = 0
        var phase = RTCSourceState.initializing
        var failure: WebRTCError?
        var onFailure: (@Sendable (WebRTCError) -> Void)?
        var viewers: [OutgoingVideo] = []
        var previews: [RTCVideoTrack] = []
    }

    /// What is captured and how it is encoded.
    public let settings: RTCVideoSourceSettings

    private let status = Locked(State())
    private let queue = DispatchQueue(label: "porchlight.webrtc.source")

    init(_ settings: RTCVideoSourceSettings) { self.settings = settings }

    /// Ends the capture, as ``stopCapture()`` does.
    deinit {
        guard let capture = status.withLock({ $0.capture }) else { return }
        // On the queue, since the last reference may go away on one of the capture's own threads.
        queue.async { capture.stop() }
    }

    /// Whether it delivers.
    public var state: RTCSourceState { status.withLock { $0.phase } }

    /// Called when capturing stops by itself: the device was unplugged, or delivers nothing usable. On any thread; the
    /// source may be started again from a later turn.
    public var onFailure: (@Sendable (WebRTCError) -> Void)? {
        get { status.withLock { $0.onFailure } }
        set { status.withLock { $0.onFailure = newValue } }
    }

    /// Opens the camera and starts the encoder. Does nothing when it runs.
    /// - Throws: ``WebRTCError/captureFailed(source:reason:)`` when the device cannot be opened,
    ///   ``WebRTCError/missingElement(name:debianPackage:)``, ``WebRTCError/invalidConfiguration(reason:)``.
    public func startCapture() throws(WebRTCError) {
        // `sync` passes errors on untyped, so the outcome comes back as a value.
        let result = queue.sync { () -> Result<Void, WebRTCError> in
            do throws(WebRTCError) {
                try start()
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func start() throws(WebRTCError) {
        let generation: Int? = status.withLock { state in
            guard state.capture == nil else { return nil }
            state.generation += 1
            state.failure = nil
            return state.generation
        }
        guard let generation else { return }
        try GStreamer.load(GStreamer.sourceRequirements)
        let capture = try CapturePipeline(
            settings, onFailure: { [weak self] in self?.captureFailed($0, generation) },
            onPicture: { [weak self] in self?.preview($0, $1) }, onFrame: { [weak self] in self?.distribute($0) })
        status.withLock { state in
            state.capture = capture
            state.phase = .live
        }
        guard !capture.start() else { return }
        capture.stop()
        let failure: WebRTCError? = status.withLock { state in
            state.capture = nil
            state.phase = .ended
            return state.failure
        }
        throw failure ?? .captureFailed(source: "\(settings.capture)", reason: "it does not start")
    }

    /// Stops the encoder and closes the camera. When it returns, the device is closed.
    public func stopCapture() async {
        await withCheckedContinuation { continuation in
            queue.async {
                let capture: CapturePipeline? = self.status.withLock { state in
                    defer { state.capture = nil }
                    state.phase = .ended
                    return state.capture
                }
                capture?.stop()
                continuation.resume()
            }
        }
    }

    private func captureFailed(_ reason: String, _ generation: Int) {
        let error = WebRTCError.captureFailed(source: "\(settings.capture)", reason: reason)
        let isNews = status.withLock { state in
            guard state.generation == generation, state.failure == nil else { return false }
            state.failure = error
            return true
        }
        guard isNews else { return }
        // Not here: this is a thread of the very pipeline that is to be stopped.
        queue.async {
            let (capture, handler): (CapturePipeline?, (@Sendable (WebRTCError) -> Void)?) = self.status.withLock {
                state in
                guard state.generation == generation, state.capture != nil else { return (nil, nil) }
                defer { state.capture = nil }
                state.phase = .ended
                return (state.capture, state.onFailure)
            }
            guard let capture else { return }
            capture.stop()
            GStreamer.log.warning("\(error)")
            handler?(error)
        }
    }

    // MARK: - Viewers

    /// Makes the encoder's next frame a key frame.
    func requestKeyFrame() { status.withLock { $0.capture }?.requestKeyFrame() }

    /// Sends the stream to one more viewer, beginning with a key frame that is made for it.
    func add(_ viewer: OutgoingVideo) {
        status.withLock { $0.viewers.append(viewer) }
        requestKeyFrame()
    }

    /// Sends the viewer nothing more.
    func remove(_ viewer: OutgoingVideo) {
        status.withLock { $0.viewers.removeAll { $0 === viewer } }
    }

    private func distribute(_ frame: CapturePipeline.EncodedFrame) {
        for viewer in status.withLock({ $0.viewers }) { viewer.send(frame) }
    }

    // MARK: - Previews

    func addPreview(_ track: RTCVideoTrack) {
        status.withLock { $0.previews.append(track) }
    }

    func removePreview(_ track: RTCVideoTrack) {
        status.withLock { $0.previews.removeAll { $0 === track } }
    }

    private func preview(_ buffer: UnsafeMutablePointer<GstBuffer>, _ caps: UnsafeMutablePointer<GstCaps>) {
        for track in status.withLock({ $0.previews }) {
            track.deliver(RTCVideoFrame(buffer: buffer, caps: caps))
        }
    }
}
