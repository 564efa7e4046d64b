internal import Basics

/// A stream of pictures: received from a peer, or taken from a source of this process.
public final class RTCVideoTrack: RTCMediaStreamTrack, @unchecked Sendable {
    // Unchecked for the reason given at the superclass.

    /// Where a local track's pictures come from; `nil` for a received one.
    public let source: RTCVideoSource?

    private let deliveries = Locked<[FrameDelivery]>([])

    init(source: RTCVideoSource?, trackId: String) {
        self.source = source
        super.init(kind: "video", trackId: trackId)
    }

    /// Shows the track's frames on `renderer`, which is held until ``remove(_:)``. Adding it twice changes nothing.
    ///
    /// Each renderer is called on a serial queue of its own. While it is busy, frames are dropped and the newest is kept,
    /// so a slow renderer costs one frame of memory and delays nobody.
    public func add(_ renderer: any RTCVideoRenderer) {
        let isFirst = deliveries.withLock { deliveries in
            guard !deliveries.contains(where: { $0.delivers(to: renderer) }) else { return false }
            deliveries.append(FrameDelivery(renderer))
            return deliveries.count == 1
        }
        if isFirst { source?.addPreview(self) }
    }

    /// Stops showing frames on `renderer`. A call that runs at this moment ends by itself; no other follows.
    public func remove(_ renderer: any RTCVideoRenderer) {
        let (removed, isLast): (FrameDelivery?, Bool) = deliveries.withLock { deliveries in
            guard let index = deliveries.firstIndex(where: { $0.delivers(to: renderer) }) else { return (nil, false) }
            let removed = deliveries.remove(at: index)
            return (removed, deliveries.isEmpty)
        }
        removed?.end()
        if isLast { source?.removePreview(self) }
    }

    /// Hands a frame to all renderers.
    func deliver(_ frame: @autoclosure () -> RTCVideoFrame?) {
        guard isEnabled else { return }
        let deliveries = deliveries.withLock { $0 }
        guard !deliveries.isEmpty, let frame = frame() else { return }
        for delivery in deliveries { delivery.deliver(frame) }
    }

    override func enabledChanged() {
        if isEnabled { source?.requestKeyFrame() }
    }
}
