internal import Basics
import CGStreamer

/// The running half of a video source: capture, one encoder, and the place where its stream divides.
///
/// ```
/// capture → videoconvert → videoscale → videorate → I420 → x264enc → h264parse → encoded frames
/// ```
/// The stream divides behind `h264parse` in Swift (`RTCVideoSource`), not in a `tee`: a branch of a tee that is not active
/// yet, or fails while it is torn down, hands its error up to the encoder and stops it for all viewers. Here every viewer's
/// branch is a pipeline of its own, which can fail alone.
final class CapturePipeline: Sendable {
    /// An encoded frame, lent for the time of a call.
    struct EncodedFrame {
        var buffer: UnsafeMutablePointer<GstBuffer>
        var caps: UnsafeMutablePointer<GstCaps>
        var isKeyFrame: Bool
    }

    private let pipeline: Pipeline
    private let sinkPad: Pad
    private let preview: PadProbe

    /// Builds the pipeline, without opening the device.
    /// - Parameters:
    ///   - onFailure: Called on a thread of GStreamer.
    ///   - onPicture: Lends each raw picture before it is encoded.
    ///   - onFrame: Lends each encoded frame, its time counted from `GStreamer.epoch`.
    init(
        _ settings: RTCVideoSourceSettings, onFailure: @escaping @Sendable (String) -> Void,
        onPicture: @escaping @Sendable (UnsafeMutablePointer<GstBuffer>, UnsafeMutablePointer<GstCaps>) -> Void,
        onFrame: @escaping @Sendable (EncodedFrame) -> Void
    ) throws(WebRTCError) {
        try settings.check()
        let pipeline = Pipeline(onFailure: onFailure)
        let size = "width=\(settings.width),height=\(settings.height),framerate=\(settings.framesPerSecond)/1"
        let picture = try Element("capsfilter", ["caps": "video/x-raw,format=I420,\(size),pixel-aspect-ratio=1/1"])
        try Self.capture(settings, size: size, into: picture, of: pipeline)

        let encoder = try Element(
            "x264enc",
            [
                "tune": "zerolatency", "speed-preset": "ultrafast", "bitrate": String(settings.bitrate / 1000),
                "key-int-max": String(settings.keyFrameDistance), "byte-stream": "true",
                // Requests closer than this to the last key frame wait: a viewer cannot turn every frame into one.
                "min-force-key-unit-interval": "100000000",
            ])
        let profile = try Element("capsfilter", ["caps": "video/x-h264,profile=constrained-baseline"])
        let parser = try Element("h264parse", ["config-interval": "-1"])
        let sink = try SampleSink("video/x-h264,stream-format=byte-stream,alignment=au", dropping: false) {
            [weak pipeline] sample in
            guard let pipeline, let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample),
                let segment = gst_sample_get_segment(sample)
            else { return }
            // The encoder counts from an hour of its own; only the segment knows what that means on the clock.
            let time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, buffer.pointee.pts)
            // A copy of the head, not of the data, whose time can be set.
            guard let copy = gst_buffer_copy(buffer) else { return }
            defer { gst_buffer_unref(copy) }
            copy.pointee.pts = time == .max ? .max : time &+ pipeline.baseTime &- GStreamer.epoch
            copy.pointee.dts = .max
            onFrame(EncodedFrame(buffer: copy, caps: caps, isKeyFrame: pl_is_delta_unit(copy) == 0))
        }
        pipeline.add(encoder, profile, parser, sink.element)
        try pipeline.link(picture, encoder, profile, parser, sink.element)
        guard let picturePad = encoder.staticPad("sink"), let sinkPad = sink.element.staticPad("sink") else {
            throw .captureFailed(source: "\(settings.capture)", reason: "an element has no pad")
        }
        preview = PadProbe(buffersAt: picturePad, onPicture)
        self.sinkPad = sinkPad
        self.pipeline = pipeline
    }

    private static func capture(
        _ settings: RTCVideoSourceSettings, size: String, into picture: Element, of pipeline: Pipeline
    ) throws(WebRTCError) {
        let convert = try Element("videoconvert")
        pipeline.add(picture)
        switch settings.capture {
        case .testPattern(let name):
            let source = try Element("videotestsrc", ["is-live": "true", "pattern": "smpte", "horizontal-speed": "4"])
            let format = try Element("capsfilter", ["caps": "video/x-raw,format=I420,\(size)"])
            let label = try Element(
                "textoverlay", ["valignment": "top", "halignment": "center", "shaded-background": "true"])
            label.set("text", markup: name)
            let clock = try Element(
                "clockoverlay", ["valignment": "bottom", "halignment": "center", "shaded-background": "true"])
            clock.set("time-format", text: "%Y-%m-%d %H:%M:%S")
            pipeline.add(source, format, label, clock, convert)
            try pipeline.link(source, format, label, clock, convert, picture)
        case .device(let path):
            let source = try Element("v4l2src")
            source.set("device", text: path)
            let scale = try Element("videoscale")
            let rate = try Element("videorate", ["drop-only": "false"])
            pipeline.add(source, convert, scale, rate)
            let best = try DeviceFormat.chosen(of: source, path: path, for: settings)
            GStreamer.log.info("\(path) is asked for \(best.caps)")
            let format = try Element("capsfilter", ["caps": best.caps])
            pipeline.add(format)
            switch best.coding {
            case .raw:
                try pipeline.link(source, format, convert)
            case .jpeg:
                let decoder = try Element("jpegdec")
                pipeline.add(decoder)
                try pipeline.link(source, format, decoder, convert)
            case .h264:
                let (parser, decoder) = (try Element("h264parse"), try Element("avdec_h264"))
                pipeline.add(parser, decoder)
                try pipeline.link(source, format, parser, decoder, convert)
            }
            try pipeline.link(convert, scale, rate, picture)
        }
    }

    /// Opens the device and starts.
    /// - Returns: Whether it could; if not, `onFailure` has heard why.
    func start() -> Bool { pipeline.play() }

    /// Stops and closes the device. Waits for the streaming threads: not to be called from `onFrame` or `onPicture`.
    func stop() {
        pipeline.shutDown()
        preview.remove()
    }

    /// Asks the encoder for a key frame.
    func requestKeyFrame() { sinkPad.requestKeyFrame(withHeaders: true) }
}
