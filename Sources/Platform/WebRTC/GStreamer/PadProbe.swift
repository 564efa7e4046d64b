import CGStreamer

/// A closure that looks at what passes a pad, on the streaming thread.
///
/// The closure is owned by the pad. It must not hold the pad, and must return quickly.
struct PadProbe: @unchecked Sendable {
    // Unchecked because a reference to a pad and a number are all it is.
    private let pad: Pad
    private let id: gulong

    /// Takes the probe off the pad.
    func remove() { gst_pad_remove_probe(pad.pointer, id) }

    /// Calls `handler` when a request for a key frame passes on its way to the encoder.
    /// - Parameter handler: Returns whether the request has been dealt with and goes no further.
    init(keyFrameRequestsAt pad: Pad, _ handler: @escaping @Sendable () -> Bool) {
        self.init(pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM) { info in
            guard let event = pl_probe_event(info), gst_video_event_is_force_key_unit(event) != 0, handler() else {
                return GST_PAD_PROBE_OK
            }
            return GST_PAD_PROBE_DROP
        }
    }

    /// Lends each buffer that passes, with the caps that describe it.
    init(
        buffersAt pad: Pad,
        _ handler: @escaping @Sendable (UnsafeMutablePointer<GstBuffer>, UnsafeMutablePointer<GstCaps>) -> Void
    ) {
        // Only weakly known to its own probe: the pad owns the closure.
        let address = UInt(bitPattern: pad.pointer)
        self.init(pad, GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let buffer = pl_probe_buffer(info), let pad = UnsafeMutablePointer<GstPad>(bitPattern: address),
                let caps = gst_pad_get_current_caps(pad)
            else { return GST_PAD_PROBE_OK }
            handler(buffer, caps)
            gst_caps_unref(caps)
            return GST_PAD_PROBE_OK
        }
    }

    private typealias Handler = @Sendable (UnsafeMutablePointer<GstPadProbeInfo>) -> GstPadProbeReturn

    private init(_ pad: Pad, _ type: GstPadProbeType, _ handler: @escaping Handler) {
        self.pad = pad
        id = gst_pad_add_probe(
            pad.pointer, type,
            { _, info, data in
                guard let info, let handler = Box<Handler>.value(data) else { return GST_PAD_PROBE_OK }
                return handler(info)
            }, Unmanaged.passRetained(Box(handler)).toOpaque(),
            { data in
                if let data { Unmanaged<Box<Handler>>.fromOpaque(data).release() }
            })
    }
}
