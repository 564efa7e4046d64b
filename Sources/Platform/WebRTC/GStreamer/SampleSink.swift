import CGStreamer

/// The end of a pipeline that hands each sample to a closure on the streaming thread.
///
/// It holds one sample at most: when the closure is slower than the stream, the oldest is dropped.
final class SampleSink: Sendable {
    let element: Element

    /// - Parameters:
    ///   - caps: What it takes.
    ///   - dropping: Whether an old sample gives way to a new one. If not, the stream waits for the closure.
    ///   - handler: Lends each sample for the time of the call. Owned by the element, which it must not hold.
    init(
        _ caps: String, dropping: Bool, _ handler: @escaping @Sendable (_ sample: OpaquePointer) -> Void
    ) throws(WebRTCError) {
        // Not synchronised to the clock: what is decoded is shown at once. With it, a frame waits for the latency of
        // the whole pipeline, 73 ms and more.
        element = try Element(
            "appsink",
            ["caps": caps, "sync": "false", "async": "false", "max-buffers": "1", "drop": dropping ? "true" : "false"])
        var callbacks = GstAppSinkCallbacks()
        callbacks.new_sample = { sink, data in
            guard let sink, let sample = gst_app_sink_pull_sample(sink) else { return GST_FLOW_OK }
            Box<@Sendable (OpaquePointer) -> Void>.value(data)?(sample)
            gst_sample_unref(sample)
            return GST_FLOW_OK
        }
        gst_app_sink_set_callbacks(
            cast(element.pointer), &callbacks, Unmanaged.passRetained(Box(handler)).toOpaque(),
            { data in
                if let data { Unmanaged<Box<@Sendable (OpaquePointer) -> Void>>.fromOpaque(data).release() }
            })
    }
}
