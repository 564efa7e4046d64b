internal import Basics
import Dispatch

/// Makes connections, sources and tracks.
///
/// Without state of its own: the media engine is the process's. The first use of it in a process takes one or two seconds,
/// which ``warmUp()`` spends in advance.
public final class RTCPeerConnectionFactory: Sendable {
    /// Starts the media engine.
    public init() { GStreamer.start() }

    /// Checks that everything that connections, sources and snapshots need is installed.
    /// - Throws: ``WebRTCError/missingElement(name:debianPackage:)`` for the first that is not.
    public static func requireElements() throws(WebRTCError) {
        try GStreamer.load(GStreamer.requirements + GStreamer.sourceRequirements)
    }

    /// What is not installed of what connections and snapshots need, as errors that name the package; empty when all is
    /// there. Blocks while plugins are loaded.
    /// - Parameter capturing: Whether sources are needed too.
    package static func missingElements(capturing: Bool) -> [WebRTCError] {
        let requirements = GStreamer.requirements + (capturing ? GStreamer.sourceRequirements : [])
        return requirements.compactMap { requirement in
            do throws(WebRTCError) {
                try GStreamer.load([requirement])
                return nil
            } catch {
                return error
            }
        }
    }

    /// Loads the engine's plugins and makes and drops one connection, so that the first real one is as fast as every
    /// other.
    /// - Throws: ``WebRTCError/missingElement(name:debianPackage:)``.
    public func warmUp() async throws(WebRTCError) {
        // On a thread of its own: this blocks for a second, and the threads of tasks are few.
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Self.load()) }
        }
        try result.get()
        let connection = try makePeerConnection(with: RTCConfiguration())
        guard connection.dataChannel(forLabel: "warm-up") != nil else { return }
        connection.addTransceiver(of: .video)
        let constraints = RTCMediaConstraints(mandatoryConstraints: nil, optionalConstraints: nil)
        try await connection.setLocalDescription(connection.offer(for: constraints))
        connection.close()
        await connection.closed()
    }

    private static func load() -> Result<Void, WebRTCError> {
        do throws(WebRTCError) {
            try requireElements()
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Makes a connection.
    /// - Returns: The connection; `nil` where ``makePeerConnection(with:delegate:)`` throws.
    public func peerConnection(
        with configuration: RTCConfiguration, constraints: RTCMediaConstraints,
        delegate: (any RTCPeerConnectionDelegate)?
    ) -> RTCPeerConnection? {
        do throws(WebRTCError) {
            return try makePeerConnection(with: configuration, delegate: delegate)
        } catch {
            GStreamer.log.error("\(error)")
            return nil
        }
    }

    /// Makes a connection.
    /// - Throws: ``WebRTCError/missingElement(name:debianPackage:)``, ``WebRTCError/invalidConfiguration(reason:)``.
    public func makePeerConnection(
        with configuration: RTCConfiguration, delegate: (any RTCPeerConnectionDelegate)? = nil
    ) throws(WebRTCError) -> RTCPeerConnection {
        try GStreamer.load(GStreamer.requirements)
        return try RTCPeerConnection(configuration, delegate: delegate)
    }

    /// Looks whether the device that the settings name is a camera with pictures that can be used; a test pattern is.
    ///
    /// Opens the device and closes it again; nothing is filmed.
    /// - Throws: ``WebRTCError/captureFailed(source:reason:)``, ``WebRTCError/missingElement(name:debianPackage:)``.
    public func checkCapture(with settings: RTCVideoSourceSettings) async throws(WebRTCError) {
        guard case .device(let path) = settings.capture else { return }
        // On a thread of its own: opening a device blocks.
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(WebRTCError) in
                        let source = try Element("v4l2src")
                        source.set("device", text: path)
                        _ = try DeviceFormat.chosen(of: source, path: path, for: settings)
                    })
            }
        }
        try result.get()
    }

    /// A camera or test picture with its encoder; not started.
    public func videoSource(with settings: RTCVideoSourceSettings) -> RTCVideoSource { RTCVideoSource(settings) }

    /// A track of a source. Every connection may carry the same track.
    public func videoTrack(with source: RTCVideoSource, trackId: String) -> RTCVideoTrack {
        RTCVideoTrack(source: source, trackId: trackId)
    }
}
