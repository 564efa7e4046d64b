internal import Basics
import CGStreamer
import Dispatch

/// A pipeline whose bus is always empty.
///
/// Messages are looked at where they are posted and dropped: each message holds a reference to its element, so a bus
/// that nobody reads keeps dead elements, their threads and descriptors alive.
final class Pipeline: @unchecked Sendable {
    // Unchecked because the pointer never changes and pipelines may be used from any thread by GStreamer's contract.
    let pointer: UnsafeMutablePointer<GstElement>

    /// - Parameter onFailure: Called with an element's error, on the thread of GStreamer that met it.
    init(onFailure: @escaping @Sendable (String) -> Void) {
        GStreamer.start()
        let made = gst_pipeline_new(nil)!
        pointer = cast(gst_object_ref_sink(made).assumingMemoryBound(to: GstElement.self))
        gst_pipeline_use_clock(cast(pointer), GStreamer.clock.pointer.assumingMemoryBound(to: GstClock.self))
        let bus = gst_element_get_bus(pointer)!
        let reader = BusReader(onFailure: onFailure, pipeline: UInt(bitPattern: pointer))
        let box = Unmanaged.passRetained(reader).toOpaque()
        gst_bus_set_sync_handler(
            bus,
            { _, message, data in
                guard let message, let data else { return GST_BUS_PASS }
                Unmanaged<BusReader>.fromOpaque(data).takeUnretainedValue().read(message)
                gst_message_unref(message)
                return GST_BUS_DROP
            }, box,
            { data in
                if let data { Unmanaged<BusReader>.fromOpaque(data).release() }
            })
        gst_object_unref(bus)
    }

    deinit {
        // An element must not be freed while it runs; shutting down twice is harmless.
        shutDown()
        gst_object_unref(pointer)
    }

    /// Adds elements, which then follow this pipeline's fate.
    func add(_ elements: Element...) {
        for element in elements { gst_bin_add(cast(pointer), element.pointer) }
    }

    /// Links elements in a row.
    func link(_ elements: Element...) throws(WebRTCError) {
        for (first, second) in zip(elements, elements.dropFirst())
        where gst_element_link(first.pointer, second.pointer) == 0 {
            throw .negotiationFailed(reason: "two elements of a pipeline could not be linked")
        }
    }

    /// Counts running time from `GStreamer.epoch` instead of from the start of this pipeline.
    func countFromEpoch() {
        gst_element_set_start_time(pointer, .max)
        gst_element_set_base_time(pointer, GStreamer.epoch)
    }

    /// The clock time at which this pipeline's running time is zero, in nanoseconds.
    var baseTime: GstClockTime { gst_element_get_base_time(pointer) }

    /// Starts data flowing.
    /// - Returns: Whether every element could start; if not, `onFailure` has heard why.
    func play() -> Bool { gst_element_set_state(pointer, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE }

    /// Stops every element and closes its devices and sockets. Waits for their threads: never call it from one of them.
    func shutDown() { gst_element_set_state(pointer, GST_STATE_NULL) }
}
