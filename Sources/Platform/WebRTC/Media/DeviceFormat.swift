import CGStreamer

/// In which form a V4L2 device is asked for pictures.
enum DeviceFormat: Equatable {
    /// Raw pictures, with the caps to ask for.
    case raw(String)
    /// MJPEG, with the caps to ask for.
    case jpeg(String)

    /// Opens the device, looks at what it offers, and closes it.
    ///
    /// Raw at the wanted size and rate is best; many cameras have the larger sizes at full rate as MJPEG only; what is
    /// left is scaled.
    /// - Throws: ``WebRTCError/captureFailed(source:reason:)`` when it cannot be opened or offers neither.
    static func choose(of source: Element, path: String, _ settings: RTCVideoSourceSettings) throws(WebRTCError)
        -> DeviceFormat
    {
        guard gst_element_set_state(source.pointer, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE,
            let pad = source.staticPad("src"), let offered = gst_pad_query_caps(pad.pointer, nil)
        else {
            gst_element_set_state(source.pointer, GST_STATE_NULL)
            throw .captureFailed(source: path, reason: "the device cannot be opened")
        }
        defer {
            gst_caps_unref(offered)
            gst_element_set_state(source.pointer, GST_STATE_NULL)
        }
        let size = "width=\(settings.width),height=\(settings.height)"
        let rate = "framerate=[\(settings.framesPerSecond)/1,240/1]"
        let wishes: [DeviceFormat] = [
            .raw("video/x-raw,\(size),\(rate)"), .jpeg("image/jpeg,\(size),\(rate)"), .raw("video/x-raw,\(size)"),
            .jpeg("image/jpeg,\(size)"), .raw("video/x-raw"), .jpeg("image/jpeg"),
        ]
        for wish in wishes where Caps(wish.caps).intersects(offered) { return wish }
        throw .captureFailed(source: path, reason: "the device offers neither raw pictures nor MJPEG")
    }

    /// What to ask for.
    var caps: String {
        switch self {
        case .raw(let caps), .jpeg(let caps): caps
        }
    }
}
