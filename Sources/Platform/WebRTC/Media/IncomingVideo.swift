internal import Basics
import CGStreamer
import Dispatch

/// The decoder of one received stream, in the pipeline of its peer connection.
///
/// ```
/// webrtcbin → rtph264depay → h264parse → avdec_h264 → videoconvert → frames
/// ```
final class IncomingVideo: Sendable {
    private let elements: [Element]
    private let start: Pad
    private let probes: [PadProbe]

    /// Builds the branch and links it to `pad`, from the end to the beginning.
    /// - Parameter isTrusted: Whether the stream comes from the right peer; until then no frame is delivered.
    init(
        _ pad: Pad, to track: RTCVideoTrack, of bin: WebRTCBin, isTrusted: @escaping @Sendable () -> Bool
    ) throws(WebRTCError) {
        // After a loss nothing is decoded before the next key frame, which the depayloader asks for: once.
        let depayloader = try Element("rtph264depay", ["request-keyframe": "true", "wait-for-keyframe": "true"])
        let parser = try Element("h264parse")
        // Threads of the decoder work on successive frames, so each of them delays the picture by one.
        let decoder = try Element("avdec_h264", ["max-threads": "1"])
        let convert = try Element("videoconvert")
        let sink = try SampleSink("video/x-raw,format=I420", dropping: true) { [weak track] sample in
            guard isTrusted(), let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample)
            else { return }
            track?.deliver(RTCVideoFrame(buffer: buffer, caps: caps))
        }
        elements = [sink.element, convert, decoder, parser, depayloader]
        bin.add(depayloader, parser, decoder, convert, sink.element)
        for (upstream, downstream) in zip(elements.dropFirst(), elements) { try bin.link(upstream, downstream) }
        elements.forEach { $0.followParent() }
        guard let start = depayloader.staticPad("sink"), let end = depayloader.staticPad("src") else {
            throw .negotiationFailed(reason: "the depayloader has no pads")
        }
        let watch = Locked(KeyFrameWatch())
        probes = [
            PadProbe(buffersAt: end) { _, _ in watch.withLock { $0.frameCompleted() } },
            PadProbe(buffersAt: start) { [weak start] buffer, _ in
                let (time, now) = (buffer.pointee.pts, DispatchTime.now().uptimeNanoseconds)
                if watch.withLock({ $0.packetArrived(of: time, now: now) }) {
                    start?.requestKeyFrame(withHeaders: false)
                }
            },
        ]
        self.start = start
        guard pad.link(to: start) else {
            throw .negotiationFailed(reason: "the received stream cannot be linked to its decoder")
        }
    }

    /// Asks the sender for a key frame (PLI, RFC 4585).
    func requestKeyFrame() { start.requestKeyFrame(withHeaders: false) }
}

/// Notices that packets come but no frame does, since a key frame, or the request for it, was lost.
struct KeyFrameWatch: Sendable {
    /// After how many frames' packets without a frame a key frame is asked for.
    static let patience = 3
    /// How long to wait for the answer before asking again, in nanoseconds: a long round trip and the frame's own way.
    static let pause: UInt64 = 300_000_000

    private var lastTime: GstClockTime?
    private var incomplete = 0
    private var asked: UInt64?

    /// Takes note of a complete frame.
    mutating func frameCompleted() { incomplete = 0 }

    /// Takes note of a packet of the frame of `time`.
    /// - Returns: Whether to ask for a key frame now.
    mutating func packetArrived(of time: GstClockTime, now: UInt64) -> Bool {
        guard lastTime != time else { return false }
        lastTime = time
        incomplete += 1
        guard incomplete > Self.patience, asked.map({ now &- $0 >= Self.pause }) ?? true else { return false }
        asked = now
        return true
    }
}
