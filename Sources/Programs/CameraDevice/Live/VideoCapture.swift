import Basics
import Dispatch
import Foundation
import WebRTC

/// The camera's lens and encoder, kept running.
///
/// One source serves all viewers. A capture that fails, such as a device that was unplugged, is started again with full
/// jitter up to 30 s. Safe from any task; ``run(onFailure:)`` is called once.
final class VideoCapture: Sendable {
    private static let v4l2 = "/dev/video0"

    /// What connections send.
    let track: RTCVideoTrack
    private let source: RTCVideoSource
    private let clock: any Clock<Duration>
    private let random: SharedRandom
    private let queue = DispatchQueue(label: "porchlight.camera.capture")
    private let log = Log("capture")

    /// A capture, not started.
    init(
        _ factory: RTCPeerConnectionFactory, settings: RTCVideoSourceSettings, clock: any Clock<Duration>,
        random: SharedRandom
    ) {
        source = factory.videoSource(with: settings)
        track = factory.videoTrack(with: source, trackId: "camera")
        self.clock = clock
        self.random = random
    }

    /// Whether pictures are coming.
    var isLive: Bool { source.state == .live }

    /// Captures until the task is cancelled. The device is closed when this returns.
    /// - Parameter onFailure: Called each time that pictures stop coming.
    func run(onFailure: @Sendable () async -> Void) async {
        var backoff = Backoff(limit: .seconds(30))
        while !Task.isCancelled {
            let (failures, failed) = AsyncStream<WebRTCError>.makeStream()
            source.onFailure = { error in
                failed.yield(error)
                failed.finish()
            }
            let watch = Stopwatch(clock)
            var failure = await start()
            if failure == nil { failure = await failures.first { _ in true } }
            if Task.isCancelled { break }
            log.error("no pictures: \(failure?.description ?? "the capture has ended")")
            if watch.elapsed > .seconds(60) { backoff.reset() }
            await onFailure()
            try? await clock.sleep(for: backoff.next(random))
        }
        source.onFailure = nil
        await source.stopCapture()
    }

    /// Starts off the cooperative threads, since opening a device blocks.
    private func start() async -> WebRTCError? {
        await withCheckedContinuation { continuation in
            queue.async { [source] in
                do throws(WebRTCError) {
                    try source.startCapture()
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
    }

    /// Where the pictures of `settings` come from, for a person; `input` is what was asked for.
    static func source(
        of settings: RTCVideoSourceSettings, for input: CameraConfiguration.VideoInput
    ) -> String {
        switch settings.capture {
        case .device(let path): path
        case .testPattern: input == .automatic ? "a test pattern: there is no \(v4l2)" : "a test pattern"
        }
    }

    /// What a configuration means on this machine.
    /// - Parameter name: Shown in a test pattern.
    /// - Throws: ``CameraError/noVideo(reason:)`` for a device that is not there or not for this account.
    static func settings(
        for configuration: CameraConfiguration, name: String
    ) throws(CameraError) -> RTCVideoSourceSettings {
        let capture: RTCVideoSourceSettings.Capture
        switch configuration.videoInput {
        case .automatic:
            let isThere = FileManager.default.fileExists(atPath: v4l2)
            capture = isThere ? .device(path: v4l2) : .testPattern(name: name)
        case .device(let path): capture = .device(path: path)
        case .testPattern: capture = .testPattern(name: name)
        }
        if case .device(let path) = capture {
            let files = FileManager.default
            guard files.fileExists(atPath: path) else { throw .noVideo(reason: "there is no \(path)") }
            guard files.isReadableFile(atPath: path), files.isWritableFile(atPath: path) else {
                throw .noVideo(reason: "this account may not use \(path)")
            }
        }
        var settings = RTCVideoSourceSettings(capture: capture)
        settings.width = configuration.video.width
        settings.height = configuration.video.height
        settings.framesPerSecond = configuration.video.framesPerSecond
        settings.bitrate = configuration.video.bitrate
        return settings
    }
}
