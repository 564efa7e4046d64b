import CGStreamer
public import Foundation

/// The pixels of a frame in three planes: luminance, and two of colour at half its width and height.
public final class RTCI420Buffer: @unchecked Sendable {
    // Unchecked because the engine's buffer is only read, and its reference count is atomic.

    /// One of the three planes.
    public enum Plane: Int, Sendable, CaseIterable {
        /// Luminance.
        case y
        /// Blue difference.
        case u
        /// Red difference.
        case v
    }

    /// Of the luminance, in pixels.
    public let width: Int32
    /// Of the luminance, in pixels.
    public let height: Int32
    /// Of the colour planes, in pixels.
    public var chromaWidth: Int32 { (width + 1) / 2 }
    /// Of the colour planes, in pixels.
    public var chromaHeight: Int32 { (height + 1) / 2 }

    private let buffer: UnsafeMutablePointer<GstBuffer>
    private let info: GstVideoInfo
    private let caps: Caps

    init(_ buffer: UnsafeMutablePointer<GstBuffer>, _ info: GstVideoInfo, _ caps: Caps) {
        self.buffer = gst_buffer_ref(buffer)
        self.info = info
        self.caps = caps
        width = info.width
        height = info.height
    }

    deinit { gst_buffer_unref(buffer) }

    /// The buffer itself: it is in this form already.
    public func toI420() -> RTCI420Buffer { self }

    /// The luminance, row by row without gaps: ``width`` × ``height`` bytes. A copy.
    public var dataY: Data { data(of: .y) }
    /// The blue difference, row by row without gaps. A copy.
    public var dataU: Data { data(of: .u) }
    /// The red difference, row by row without gaps. A copy.
    public var dataV: Data { data(of: .v) }

    /// A plane, row by row without gaps, as a copy. Empty when the engine cannot map its buffer.
    public func data(of plane: Plane) -> Data {
        var data = Data()
        withRows(of: plane) { row in row.withUnsafeBufferPointer { data.append($0) } }
        return data
    }

    /// Lends a plane's rows from top to bottom, without copying.
    public func withRows(of plane: Plane, _ body: (Span<UInt8>) -> Void) {
        var frame = GstVideoFrame()
        var info = info
        guard gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ) != 0 else { return }
        defer { gst_video_frame_unmap(&frame) }
        let component = UInt32(plane.rawValue)
        let width = Int(pl_plane_width(&frame, component))
        let height = Int(pl_plane_height(&frame, component))
        guard let start = pl_plane_data(&frame, component) else { return }
        let stride = Int(pl_plane_stride(&frame, component))
        for row in 0..<height {
            let pixels = UnsafeBufferPointer(start: start + row * stride, count: width)
            body(pixels.span)
        }
    }

    /// The frame in a picture format, through the engine's encoder for it.
    func encoded(as type: String) throws(WebRTCError) -> Data {
        guard let sample = gst_sample_new(buffer, caps.pointer, nil, nil) else {
            throw .encodingFailed(reason: "no memory")
        }
        defer { gst_sample_unref(sample) }
        var error: UnsafeMutablePointer<GError>?
        let limit: GstClockTime = 10_000_000_000
        let wanted = Caps(type)
        let result = withExtendedLifetime(wanted) { gst_video_convert_sample(sample, wanted.pointer, limit, &error) }
        guard let converted = result else {
            defer { g_clear_error(&error) }
            let reason = error.flatMap { $0.pointee.message }.map { String(cString: $0) }
            throw .encodingFailed(reason: reason ?? "no reason given")
        }
        defer { gst_sample_unref(converted) }
        var map = GstMapInfo()
        guard let picture = gst_sample_get_buffer(converted), gst_buffer_map(picture, &map, GST_MAP_READ) != 0,
            let start = map.data
        else { throw .encodingFailed(reason: "the encoded picture is empty") }
        defer { gst_buffer_unmap(picture, &map) }
        return Data(bytes: start, count: Int(map.size))
    }
}
