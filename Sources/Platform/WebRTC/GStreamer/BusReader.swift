import CGStreamer
import Dispatch

/// Looks at the messages of one pipeline where they are posted; owned by its bus.
final class BusReader: Sendable {
    private let onFailure: @Sendable (String) -> Void
    /// The pipeline's address: the pipeline owns the bus, which owns this.
    private let pipeline: UInt
    private let queue = DispatchQueue(label: "porchlight.webrtc.latency")

    /// - Parameter onFailure: Called with an element's error, on the thread of GStreamer that met it.
    init(onFailure: @escaping @Sendable (String) -> Void, pipeline: UInt) {
        self.onFailure = onFailure
        self.pipeline = pipeline
    }

    /// Looks at a message, which stays the caller's.
    func read(_ message: UnsafeMutablePointer<GstMessage>) {
        switch message.pointee.type {
        case GST_MESSAGE_ERROR: onFailure(Self.reason(of: message))
        case GST_MESSAGE_LATENCY:
            // Elements that join a running pipeline do not know its latency before it is worked out anew, and until then
            // an RTP session cannot tell what time its packets are of. Not here: this may be a streaming thread.
            guard let pointer = UnsafeMutablePointer<GstBin>(bitPattern: pipeline) else { return }
            let bin = OwnedObject(retaining: UnsafeMutableRawPointer(pointer))
            queue.async { gst_bin_recalculate_latency(bin.pointer.assumingMemoryBound(to: GstBin.self)) }
        default: break
        }
    }

    private static func reason(of message: UnsafeMutablePointer<GstMessage>) -> String {
        var error: UnsafeMutablePointer<GError>?
        var detail: UnsafeMutablePointer<gchar>?
        gst_message_parse_error(message, &error, &detail)
        defer {
            g_clear_error(&error)
            g_free(detail)
        }
        let text = error.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "an unknown error"
        // The last line of the detail says what happened; those before it, where in the engine's sources.
        let last = detail.map { String(cString: $0) }?.split(separator: "\n").last
        let name = message.pointee.src.flatMap { gst_object_get_name($0) }
        defer { g_free(name) }
        return "\(text) (\(name.map { String(cString: $0) } ?? "the engine")\(last.map { ": \($0)" } ?? ""))"
    }
}
