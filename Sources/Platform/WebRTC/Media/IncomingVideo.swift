internal import Basics
import CGStreamer

/// The decoder of one received stream, in the pipeline of its peer connection.
///
/// ```
/// webrtcbin → rtph264depay → h264parse → avdec_h264 → videoconvert → frames
/// ```
final class IncomingVideo: Sendable {
    private let elements: [Element]

    /// Builds the branch and links it to `pad`, from the end to the beginning.
    /// - Parameter isTrusted: Whether the stream comes from the right peer; until then no frame is delivered.
    init(
        _ pad: Pad, to track: RTCVideoTrack, of bin: WebRTCBin, isTrusted: @escaping @Sendable () -> Bool
    ) throws(WebRTCError) {
        // After a loss a key frame is asked for again with each frame that comes, until one does.
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
        guard let start = depayloader.staticPad("sink"), pad.link(to: start) else {
            throw .negotiationFailed(reason: "the received stream cannot be linked to its decoder")
        }
    }
}
