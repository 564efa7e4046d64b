internal import Basics
import CGStreamer

/// The media engine as a whole: its start-up, and the elements that this module needs of it.
enum GStreamer {
    static let log = Log("webrtc")

    /// Initialises GStreamer, once for the process. The first call of a process reads the registry of plugins.
    static func start() { _ = started }

    private static let started: Bool = {
        gst_init(nil, nil)
        return true
    }()

    /// The clock of every pipeline here, so that a time means the same in all of them. Never freed: it is the
    /// process's own.
    static var clock: OwnedObject {
        start()
        return sharedClock
    }

    private static let sharedClock = OwnedObject(adopting: UnsafeMutableRawPointer(gst_system_clock_obtain()))

    /// The moment from which the pipelines of all peer connections count, in the clock's nanoseconds.
    ///
    /// One epoch for all makes a buffer's time valid in each of them, so that a frame is stamped once, however many
    /// viewers it goes to.
    static let epoch: GstClockTime = gst_clock_get_time(GStreamer.clock.pointer.assumingMemoryBound(to: GstClock.self))

    /// An element and the Debian package that brings it.
    struct Requirement: Equatable {
        var element: String
        var debianPackage: String
    }

    /// What a peer connection needs, in both directions.
    static let requirements: [Requirement] = [
        Requirement(element: "appsink", debianPackage: "gstreamer1.0-plugins-base"),
        Requirement(element: "appsrc", debianPackage: "gstreamer1.0-plugins-base"),
        Requirement(element: "avdec_h264", debianPackage: "gstreamer1.0-libav"),
        Requirement(element: "capsfilter", debianPackage: "libgstreamer1.0-0"),
        Requirement(element: "dtlssrtpenc", debianPackage: "gstreamer1.0-plugins-bad"),
        Requirement(element: "fakesink", debianPackage: "libgstreamer1.0-0"),
        Requirement(element: "h264parse", debianPackage: "gstreamer1.0-plugins-bad"),
        Requirement(element: "nicesink", debianPackage: "gstreamer1.0-nice"),
        Requirement(element: "pngenc", debianPackage: "gstreamer1.0-plugins-good"),
        Requirement(element: "rtpbin", debianPackage: "gstreamer1.0-plugins-good"),
        Requirement(element: "rtph264depay", debianPackage: "gstreamer1.0-plugins-good"),
        Requirement(element: "rtph264pay", debianPackage: "gstreamer1.0-plugins-good"),
        Requirement(element: "sctpenc", debianPackage: "gstreamer1.0-plugins-bad"),
        Requirement(element: "srtpenc", debianPackage: "gstreamer1.0-plugins-bad"),
        Requirement(element: "videoconvert", debianPackage: "gstreamer1.0-plugins-base"),
        Requirement(element: "webrtcbin", debianPackage: "gstreamer1.0-plugins-bad"),
    ]

    /// What a source needs besides.
    static let sourceRequirements: [Requirement] = [
        Requirement(element: "clockoverlay", debianPackage: "gstreamer1.0-x"),
        Requirement(element: "jpegdec", debianPackage: "gstreamer1.0-plugins-good"),
        Requirement(element: "textoverlay", debianPackage: "gstreamer1.0-x"),
        Requirement(element: "v4l2src", debianPackage: "gstreamer1.0-plugins-good"),
        Requirement(element: "videorate", debianPackage: "gstreamer1.0-plugins-base"),
        Requirement(element: "videoscale", debianPackage: "gstreamer1.0-plugins-base"),
        Requirement(element: "videotestsrc", debianPackage: "gstreamer1.0-plugins-base"),
        Requirement(element: "x264enc", debianPackage: "gstreamer1.0-plugins-ugly"),
    ]

    /// The package that brings `element`, as far as it is known here.
    static func debianPackage(of element: String) -> String {
        (requirements + sourceRequirements).first { $0.element == element }?.debianPackage ?? "gstreamer1.0-plugins-bad"
    }

    /// Loads each element's plugin, which is what the first use in a process spends its time on.
    /// - Throws: ``WebRTCError/missingElement(name:debianPackage:)`` for the first that is not there.
    static func load(_ requirements: [Requirement]) throws(WebRTCError) {
        start()
        for requirement in requirements {
            guard let factory = gst_element_factory_find(requirement.element) else {
                throw .missingElement(name: requirement.element, debianPackage: requirement.debianPackage)
            }
            let plugin = gst_plugin_feature_load(factory)
            gst_object_unref(UnsafeMutableRawPointer(factory))
            guard let plugin else {
                throw .missingElement(name: requirement.element, debianPackage: requirement.debianPackage)
            }
            gst_object_unref(UnsafeMutableRawPointer(plugin))
        }
    }
}

/// Views a GObject as its parent or child type, as C's cast macros do.
func cast<Subject, Object>(_ pointer: UnsafeMutablePointer<Subject>) -> UnsafeMutablePointer<Object> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Object.self)
}

/// One reference to a GObject, given back in `deinit`.
final class OwnedObject: @unchecked Sendable {
    // Unchecked because the pointer never changes, GObject counts references atomically, and what is called on the
    // object is what GStreamer documents as safe from any thread.
    let pointer: UnsafeMutableRawPointer

    /// Takes over a reference that the caller owns.
    init(adopting pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

    /// Adds a reference of its own.
    convenience init(retaining pointer: UnsafeMutableRawPointer) { self.init(adopting: g_object_ref(pointer)) }

    deinit { g_object_unref(pointer) }
}
