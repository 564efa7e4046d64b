import Basics
public import Foundation
public import WebRTC

/// Where a live view's frames arrive: keeps the newest, counts them, and hands them to whoever wants them.
///
/// It stays the same over reconnections. Thread-safe: state is behind one lock. It is no window: a user interface draws
/// ``frames``, or is added to what it shows by other means.
public final class LiveVideoView: RTCVideoRenderer, Sendable {
    private struct State {
        var frame: RTCVideoFrame?
        var count = 0
        var size = CGSize.zero
        var streams: [Int: AsyncStream<RTCVideoFrame>.Continuation] = [:]
        var nextStream = 0
        var admitted: Int?
    }

    private let state = Locked(State())

    /// A view without a frame.
    public init() {}

    deinit {
        for stream in state.withLock({ $0.streams }).values { stream.finish() }
    }

    /// The newest frame; nil before the first, and after privacy mode has taken it away.
    public var frame: RTCVideoFrame? { state.withLock { $0.frame } }
    /// How many frames have arrived since the view was made.
    public var frameCount: Int { state.withLock { $0.count } }
    /// The size of the frames, in pixels; zero before the first.
    public var size: CGSize { state.withLock { $0.size } }

    /// The frames as they come. Each use is a stream of its own, which begins with the next frame; a reader that is slower
    /// than the camera gets the newest and misses those between.
    public var frames: AsyncStream<RTCVideoFrame> {
        let (stream, continuation) = AsyncStream<RTCVideoFrame>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextStream += 1
            state.streams[state.nextStream] = continuation
            return state.nextStream
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.streams[id] = nil } }
        return stream
    }

    /// The newest frame as a PNG file. Encoding takes some tens of milliseconds, on a thread of its own.
    /// - Throws: ``LiveViewError/noFrame`` before the first frame, ``LiveViewError/media(_:)`` when it cannot be encoded.
    public func snapshot() async throws(LiveViewError) -> Data {
        guard let frame else { throw .noFrame }
        let result: Result<Data, LiveViewError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(WebRTCError) {
                    continuation.resume(returning: .success(try frame.pngData()))
                } catch {
                    continuation.resume(returning: .failure(.media(error)))
                }
            }
        }
        return try result.get()
    }

    /// Notes the size of the frames that follow.
    public func setSize(_ size: CGSize) { state.withLock { $0.size = size } }

    /// Takes a frame; nil takes the newest away.
    public func renderFrame(_ frame: RTCVideoFrame?) { render(frame) { _ in true } }

    // MARK: - Attempts

    /// Decides whose frames are taken from now on. When it returns, those of other attempts change nothing any more.
    func admit(_ attempt: Int?) { state.withLock { $0.admitted = attempt } }

    /// As ``setSize(_:)``, if the attempt is the admitted one.
    func setSize(_ size: CGSize, of attempt: Int) {
        state.withLock { if $0.admitted == attempt { $0.size = size } }
    }

    /// As ``renderFrame(_:)``, if the attempt is the admitted one.
    /// - Returns: Whether it is.
    func render(_ frame: RTCVideoFrame, of attempt: Int) -> Bool { render(frame) { $0.admitted == attempt } }

    /// Asks and takes in one go, so that a frame cannot slip in behind the one who closes the gate and empties the view.
    @discardableResult
    private func render(_ frame: RTCVideoFrame?, if isAdmitted: (State) -> Bool) -> Bool {
        // The state before it, which keeps the old frame until the lock is gone.
        let old: State? = state.withLock { state in
            guard isAdmitted(state) else { return nil }
            defer {
                state.frame = frame
                if frame != nil { state.count += 1 }
            }
            return state
        }
        guard let old else { return false }
        if let frame {
            for stream in old.streams.values { stream.yield(frame) }
        }
        withExtendedLifetime(old) {}
        return true
    }
}
