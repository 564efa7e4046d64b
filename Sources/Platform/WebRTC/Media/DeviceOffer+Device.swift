import CGStreamer
import Glibc

extension DeviceOffer {
    /// Opens the device, looks at what it offers, and closes it.
    /// - Parameters:
    ///   - source: A `v4l2src` with the device's path set, which is in no pipeline yet.
    ///   - path: The device's path.
    /// - Throws: ``WebRTCError/captureFailed(source:reason:)`` when it cannot be opened.
    static func all(of source: Element, path: String) throws(WebRTCError) -> [DeviceOffer] {
        // The element would say no more than that it cannot be opened.
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .captureFailed(source: path, reason: String(cString: strerror(errno)))
        }
        close(descriptor)
        defer { gst_element_set_state(source.pointer, GST_STATE_NULL) }
        guard gst_element_set_state(source.pointer, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE,
            let pad = source.staticPad("src"), let offered = gst_pad_query_caps(pad.pointer, nil)
        else { throw .captureFailed(source: path, reason: "it is no camera") }
        return offers(in: Caps(adopting: offered))
    }

    /// Reads caps; what is not raw, MJPEG or H.264 in the machine's own memory is left out.
    static func offers(in caps: Caps) -> [DeviceOffer] {
        (0..<gst_caps_get_size(caps.pointer)).flatMap { index -> [DeviceOffer] in
            guard let structure = gst_caps_get_structure(caps.pointer, index),
                let features = gst_caps_get_features(caps.pointer, index),
                gst_caps_features_contains(features, "memory:SystemMemory") != 0,
                gst_caps_features_contains(features, "format:Interlaced") == 0,
                let name = gst_structure_get_name(structure)
            else { return [] }
            let codings: [Coding] =
                switch String(cString: name) {
                case "video/x-raw":
                    values(of: "format", in: structure).compactMap { g_value_get_string($0) }.map {
                        .raw(format: String(cString: $0))
                    }
                case "image/jpeg": [.jpeg]
                case "video/x-h264": [.h264]
                default: []
                }
            guard let rates = rates(in: structure) else { return [] }
            let widths = lengths(of: "width", in: structure)
            let heights = lengths(of: "height", in: structure)
            return codings.flatMap { coding in
                widths.flatMap { width in
                    heights.map { DeviceOffer(coding: coding, width: width, height: $0, rates: rates) }
                }
            }
        }
    }

    /// A field's value, or each of its values where it has a list of them.
    private static func values(
        of field: String, in structure: UnsafePointer<GstStructure>
    ) -> [UnsafePointer<GValue>] {
        guard let value = gst_structure_get_value(structure, field) else { return [] }
        guard pl_value_type(value) == gst_value_list_get_type() else { return [value] }
        return (0..<gst_value_list_get_size(value)).compactMap { gst_value_list_get_value(value, $0) }
    }

    private static func lengths(of field: String, in structure: UnsafePointer<GstStructure>) -> [Length] {
        values(of: field, in: structure).compactMap { value in
            switch pl_value_type(value) {
            case pl_type_int():
                let length = Int(g_value_get_int(value))
                return length...length
            case gst_int_range_get_type():
                // Even, since what is made of it has two colour samples for each four of brightness.
                let lowest = (Int(gst_value_get_int_range_min(value)) + 1) & ~1
                let highest = Int(gst_value_get_int_range_max(value)) & ~1
                return lowest <= highest ? lowest...highest : nil
            default:
                return nil
            }
        }
    }

    private static func rates(in structure: UnsafePointer<GstStructure>) -> Rates? {
        var rates: [Rate] = []
        for value in values(of: "framerate", in: structure) {
            switch pl_value_type(value) {
            case gst_fraction_get_type():
                if let rate = Rate(value) { rates.append(rate) }
            case gst_fraction_range_get_type():
                guard let lowest = gst_value_get_fraction_range_min(value).flatMap(Rate.init),
                    let highest = gst_value_get_fraction_range_max(value).flatMap(Rate.init), lowest <= highest
                else { continue }
                return .between(lowest, highest)
            default:
                continue
            }
        }
        return rates.isEmpty ? nil : .some(rates)
    }
}

extension DeviceFormat {
    /// Opens the device, chooses the best of what it offers, and closes it.
    /// - Parameters:
    ///   - source: A `v4l2src` with the device's path set, which is in no pipeline yet.
    ///   - path: The device's path.
    /// - Throws: ``WebRTCError/captureFailed(source:reason:)`` when it cannot be opened, or films nothing that can be used.
    static func chosen(
        of source: Element, path: String, for settings: RTCVideoSourceSettings
    ) throws(WebRTCError) -> DeviceFormat {
        let offers = try DeviceOffer.all(of: source, path: path)
        guard
            let best = best(
                of: offers, width: settings.width, height: settings.height,
                rate: DeviceOffer.Rate(settings.framesPerSecond))
        else {
            throw .captureFailed(source: path, reason: "it offers neither raw pictures nor MJPEG nor H.264")
        }
        return best
    }
}

extension DeviceOffer.Rate {
    /// Reads a fraction.
    fileprivate init?(_ value: UnsafePointer<GValue>) {
        let numerator = Int(gst_value_get_fraction_numerator(value))
        let denominator = Int(gst_value_get_fraction_denominator(value))
        guard numerator >= 0, denominator >= 1 else { return nil }
        self.init(numerator, denominator)
    }
}
