internal import Basics
import CGStreamer

/// One viewer's branch of a source's stream: a bounded queue, and a payloader with the payload type of that viewer's
/// description, in the pipeline of its peer connection.
///
/// ```
/// encoded frames → appsrc (the queue) → rtph264pay → capsfilter → webrtcbin
/// ```
/// A viewer begins with a key frame. One that is too slow loses whole frames up to the next key frame, which is asked for
/// when the queue has drained, so that what it decodes is never damaged.
final class OutgoingVideo: Sendable {
    private struct Gate {
        /// Frames pass only from the next key frame on.
        var waitsForKeyFrame = true
        /// The frames that were held back since it was last asked for.
        var heldBack = 0
        var caps: Caps?
        var isOpen = false
    }

    /// What the queue holds at most: half a second at 30 frames.
    private static let capacity: guint64 = 15

    /// After how many frames without one a key frame is asked for again: a request can be lost on its way.
    private static let patience = 6

    private let track: RTCVideoTrack
    private let queue: Element
    private let gate = Locked(Gate())
    private let requests: PadProbe

    /// Builds the branch in the connection's pipeline and links it to `pad`; nothing flows before ``open()``.
    init(
        _ track: RTCVideoTrack, payloadType: UInt8, ssrc: UInt32, to pad: Pad, of bin: WebRTCBin
    ) throws(WebRTCError) {
        self.track = track
        queue = try Element(
            "appsrc", ["format": "time", "is-live": "true", "max-bytes": "0", "block": "false", "min-latency": "0"])
        let payloader = try Element(
            "rtph264pay",
            [
                "pt": String(payloadType), "ssrc": String(ssrc), "aggregate-mode": "zero-latency",
                "config-interval": "-1", "mtu": "1200",
            ])
        let format = try Element("capsfilter", ["caps": Self.caps(payloadType: payloadType, ssrc: ssrc)])
        bin.add(queue, payloader, format)
        // From the end to the beginning, so that no element meets data before the next one is awake.
        guard let end = format.staticPad("src"), let start = queue.staticPad("src"), end.link(to: pad) else {
            throw .negotiationFailed(reason: "the stream cannot be linked to the connection")
        }
        requests = PadProbe(keyFrameRequestsAt: start) { [weak source = track.source] in
            source?.requestKeyFrame()
            return true
        }
        format.followParent()
        payloader.followParent()
        try bin.link(payloader, format)
        try bin.link(queue, payloader)
        queue.followParent()
    }

    /// The caps of a stream.
    /// - Parameter ssrc: Its synchronisation source, so that the description can announce it; `nil` for a received one.
    static func caps(payloadType: UInt8, ssrc: UInt32?) -> String {
        "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,payload=\(payloadType)"
            + (ssrc.map { ",ssrc=(uint)\($0)" } ?? "")
    }

    /// Begins to send. Does nothing the second time.
    func open() {
        let isFirst = gate.withLock { gate in
            defer { gate.isOpen = true }
            return !gate.isOpen
        }
        if isFirst { track.source?.add(self) }
    }

    /// Sends nothing more.
    func close() {
        track.source?.remove(self)
        requests.remove()
    }

    /// Takes a frame. Called on the source's streaming thread.
    func send(_ frame: CapturePipeline.EncodedFrame) {
        guard track.isEnabled else {
            gate.withLock { ($0.waitsForKeyFrame, $0.heldBack) = (true, 0) }
            return
        }
        let level = pl_get_uint64(queue.raw, "current-level-buffers")
        let (passes, mustAsk, caps): (Bool, Bool, Caps?) = gate.withLock { gate in
            if level >= Self.capacity {
                if !gate.waitsForKeyFrame { gate.heldBack = Self.patience }
                gate.waitsForKeyFrame = true
            }
            if gate.waitsForKeyFrame {
                guard frame.isKeyFrame, level < Self.capacity else {
                    gate.heldBack += 1
                    // While the queue drains, one more key frame would only be held back too.
                    let mustAsk = gate.heldBack >= Self.patience && level == 0
                    if mustAsk { gate.heldBack = 0 }
                    return (false, mustAsk, nil)
                }
                (gate.waitsForKeyFrame, gate.heldBack) = (false, 0)
            }
            if let caps = gate.caps, gst_caps_is_equal(caps.pointer, frame.caps) != 0 { return (true, false, nil) }
            gate.caps = Caps(retaining: frame.caps)
            return (true, false, gate.caps)
        }
        if mustAsk { track.source?.requestKeyFrame() }
        guard passes else { return }
        let queue: UnsafeMutablePointer<GstAppSrc> = cast(queue.pointer)
        if let caps { gst_app_src_set_caps(queue, caps.pointer) }
        gst_app_src_push_buffer(queue, gst_buffer_ref(frame.buffer))
    }
}
