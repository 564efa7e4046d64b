import CGStreamer
public import Foundation

/// By how much a frame must be turned to stand upright, in degrees clockwise.
public enum RTCVideoRotation: Int, Sendable {
    /// It stands.
    case _0 = 0
    /// A quarter.
    case _90 = 90
    /// A half.
    case _180 = 180
    /// Three quarters.
    case _270 = 270
}

/// One picture.
///
/// Immutable, so it may be passed between threads. It refers to the decoder's own buffer; nothing is copied until a plane
/// is asked for.
public final class RTCVideoFrame: Sendable {
    /// In pixels.
    public let width: Int32
    /// In pixels.
    public let height: Int32
    /// How to turn it.
    public let rotation: RTCVideoRotation
    /// When it was taken or received, in nanoseconds on a clock of this process.
    public let timeStampNs: Int64
    /// The pixels.
    public let buffer: RTCI420Buffer

    /// Refers to a buffer of the engine.
    init?(buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>) {
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0, info.finfo.pointee.format == GST_VIDEO_FORMAT_I420,
            info.width > 0, info.height > 0
        else { return nil }
        width = info.width
        height = info.height
        rotation = ._0
        timeStampNs = Int64(clamping: buffer.pointee.pts)
        self.buffer = RTCI420Buffer(buffer, info, Caps(retaining: caps))
    }

    /// The frame as a PNG file. Takes some tens of milliseconds, on the calling thread.
    /// - Throws: ``WebRTCError/encodingFailed(reason:)``.
    public func pngData() throws(WebRTCError) -> Data { try buffer.encoded(as: "image/png") }
}
