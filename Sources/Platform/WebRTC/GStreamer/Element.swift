import CGStreamer

/// A GStreamer element that this module holds a reference to.
final class Element: @unchecked Sendable {
    // Unchecked because the pointer never changes, the reference count is atomic, and setting properties, linking and
    // changing state are safe from any thread by GStreamer's contract.
    let pointer: UnsafeMutablePointer<GstElement>

    /// The element as C functions for its ancestors and descendants want it.
    var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(pointer) }

    /// Makes an element.
    /// - Throws: ``WebRTCError/missingElement(name:debianPackage:)`` when its plugin is not installed.
    init(_ factory: String, _ properties: KeyValuePairs<String, String> = [:]) throws(WebRTCError) {
        guard let made = gst_element_factory_make(factory, nil) else {
            throw .missingElement(name: factory, debianPackage: GStreamer.debianPackage(of: factory))
        }
        // What is made is floating, so sinking it makes the reference ours.
        pointer = cast(gst_object_ref_sink(made).assumingMemoryBound(to: GstElement.self))
        for (name, value) in properties { set(name, value) }
    }

    deinit { gst_object_unref(raw) }

    /// Sets a property from its text form (numbers, enumerations, caps).
    func set(_ name: String, _ value: String) { gst_util_set_object_arg(cast(pointer), name, value) }

    /// Sets a text property literally.
    func set(_ name: String, text: String) { pl_set_string(raw, name, text) }

    /// Sets a text property that the element reads as Pango markup, so that the text is shown as it is.
    func set(_ name: String, markup text: String) {
        guard let escaped = g_markup_escape_text(text, -1) else { return }
        defer { g_free(escaped) }
        pl_set_string(raw, name, escaped)
    }

    /// Sets a caps property.
    func set(_ name: String, caps: Caps) { pl_set_caps(raw, name, caps.pointer) }

    /// A pad that the element always has.
    func staticPad(_ name: String) -> Pad? { gst_element_get_static_pad(pointer, name).map { Pad(adopting: $0) } }

    /// Follows the state of the pipeline that the element was added to.
    func followParent() { gst_element_sync_state_with_parent(pointer) }
}

/// A pad with one reference to it.
final class Pad: @unchecked Sendable {
    // Unchecked for the reason given at Element.
    let pointer: UnsafeMutablePointer<GstPad>

    /// Takes over a reference that the caller owns.
    init(adopting pointer: UnsafeMutablePointer<GstPad>) { self.pointer = pointer }

    /// Adds a reference of its own.
    init(retaining pointer: UnsafeMutablePointer<GstPad>) {
        self.pointer = cast(gst_object_ref(pointer).assumingMemoryBound(to: GstPad.self))
    }

    deinit { gst_object_unref(pointer) }

    /// Links this source pad to `sink`.
    func link(to sink: Pad) -> Bool { gst_pad_link(pointer, sink.pointer) == GST_PAD_LINK_OK }

    /// Asks whoever encodes what arrives at this sink pad for a key frame.
    /// - Parameter withHeaders: Whether parameter sets are asked for too. Over the wire that becomes a FIR instead of a
    ///   PLI, which senders obey less often.
    func requestKeyFrame(withHeaders: Bool) {
        // Nobody upstream to ask yet is no fault: the encoder's first frame is a key frame.
        gst_pad_push_event(pointer, gst_video_event_new_upstream_force_key_unit(.max, withHeaders ? 1 : 0, 0))
    }
}

/// Immutable caps: a description of a media format.
final class Caps: @unchecked Sendable {
    // Unchecked because caps that are shared are immutable and their reference count is atomic.
    let pointer: UnsafeMutablePointer<GstCaps>

    /// Takes over a reference that the caller owns.
    init(adopting pointer: UnsafeMutablePointer<GstCaps>) { self.pointer = pointer }

    /// Adds a reference of its own.
    init(retaining pointer: UnsafeMutablePointer<GstCaps>) { self.pointer = gst_caps_ref(pointer) }

    /// Parses caps written by this module; a text that is not caps is a fault of this module.
    convenience init(_ text: String) {
        guard let pointer = gst_caps_from_string(text) else { preconditionFailure("not caps: \(text)") }
        self.init(adopting: pointer)
    }

    deinit { gst_caps_unref(pointer) }
}
