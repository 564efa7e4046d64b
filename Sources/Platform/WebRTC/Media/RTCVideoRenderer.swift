public import Foundation

/// Something that shows frames.
///
/// Called on a serial queue that belongs to this renderer alone; while a call runs, newer frames replace older ones.
public protocol RTCVideoRenderer: AnyObject {
    /// Says the size of the frames that follow, in pixels: before the first frame and whenever it changes.
    func setSize(_ size: CGSize)

    /// Shows a frame. Keep it no longer than needed: it holds a buffer of the decoder.
    /// - Parameter frame: The frame; `nil` clears the view.
    func renderFrame(_ frame: RTCVideoFrame?)
}
