internal import Basics
import CGStreamer
import Dispatch
import Foundation

/// A channel for messages beside the media of a peer connection.
///
/// Everything may be used from any thread: state is behind one lock; the delegate is called on the connection's serial
/// queue. Closing does not tell the other side for some 30 s, so say goodbye in a message of your own before.
public final class RTCDataChannel: @unchecked Sendable {
    // Unchecked because of the delegate, which is not Sendable: it is read and written under the lock and called on
    // `queue` only, as its documentation promises it.
    private struct State {
        weak var delegate: (any RTCDataChannelDelegate)?
        var readyState = RTCDataChannelState.connecting
        var label = ""
        var `protocol` = ""
        var isOrdered = true
        /// What arrived while nobody listened.
        var unread: [RTCDataBuffer] = []
        var unreadBytes = 0
        var connections: [SignalConnection] = []
        var engine: OwnedObject?
        /// Keeps the engine's own parent alive as long as `engine` is used, which refers to it without holding it.
        var bin: WebRTCBin?
    }

    /// The largest message that is sent or kept, in bytes.
    public static let maximumMessageSize = 256 * 1024

    private static let unreadLimit = 1024 * 1024

    private let state = Locked(State())
    private let queue: DispatchQueue
    private let trust: PeerTrust

    /// The channel's name.
    public var label: String { state.withLock { $0.label } }
    /// Whether messages arrive in order.
    public var isOrdered: Bool { state.withLock { $0.isOrdered } }
    /// The name of what is spoken on it.
    public var `protocol`: String { state.withLock { $0.protocol } }

    init(_ engine: OwnedObject, of bin: WebRTCBin, trust: PeerTrust, queue: DispatchQueue) {
        self.queue = queue
        self.trust = trust
        let raw = engine.pointer
        let made = [
            SignalConnection(raw, property: "ready-state") { [weak self] in self?.readyStateChanged() },
            SignalConnection(raw, pointer: "on-message-data") { [weak self] bytes in
                self?.received(Self.data(of: bytes), isBinary: true)
            },
            SignalConnection(raw, pointer: "on-message-string") { [weak self] text in
                let data = text.map { Data(bytes: $0, count: strlen($0.assumingMemoryBound(to: CChar.self))) }
                self?.received(data ?? Data(), isBinary: false)
            },
            SignalConnection(raw, "on-buffered-amount-low") { [weak self] in self?.bufferedAmountFell() },
        ]
        state.withLock { state in
            state.engine = engine
            state.bin = bin
            state.connections = made
        }
        learnName()
    }

    /// Reads what names the channel; one that the peer opens has no name before it is open.
    func learnName() {
        guard let engine = state.withLock({ $0.engine }) else { return }
        let (label, protocolName) = (Self.text("label", of: engine), Self.text("protocol", of: engine))
        let isOrdered = pl_get_int(engine.pointer, "ordered") != 0
        state.withLock { ($0.label, $0.protocol, $0.isOrdered) = (label, protocolName, isOrdered) }
    }

    deinit { detach() }

    private static func text(_ property: String, of engine: OwnedObject) -> String {
        guard let text = pl_get_string(engine.pointer, property) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    private static func data(of bytes: UnsafeMutableRawPointer?) -> Data {
        guard let bytes else { return Data() }
        var size: gsize = 0
        guard let start = g_bytes_get_data(OpaquePointer(bytes), &size) else { return Data() }
        return Data(bytes: start, count: Int(size))
    }

    /// Who hears of messages. What arrived before it was set is delivered now, up to 1 MB.
    public var delegate: (any RTCDataChannelDelegate)? {
        get { state.withLock { Unchecked($0.delegate) }.value }
        set {
            let holder = Unchecked(newValue)
            state.withLock { $0.delegate = holder.value }
            if newValue != nil { queue.async { self.deliverUnread() } }
        }
    }

    /// Whether messages can be sent.
    public var readyState: RTCDataChannelState { state.withLock { $0.readyState } }

    /// How many bytes wait to be sent.
    public var bufferedAmount: UInt64 {
        guard let engine = state.withLock({ $0.engine }) else { return 0 }
        return UInt64(pl_get_uint64(engine.pointer, "buffered-amount"))
    }

    /// The channel's number; −1 before it has one.
    public var channelId: Int32 {
        guard let engine = state.withLock({ $0.engine }) else { return -1 }
        return pl_get_int(engine.pointer, "id")
    }

    /// Sends a message.
    /// - Returns: Whether it was taken. Not, when the channel is not open, when it is larger than
    ///   ``maximumMessageSize`` or than the peer takes, when a text is not UTF-8 or holds a zero, or when the message is
    ///   empty, which this engine loses.
    public func sendData(_ data: RTCDataBuffer) -> Bool {
        let engine: OwnedObject? = state.withLock { $0.readyState == .open ? $0.engine : nil }
        guard let engine, (1...Self.maximumMessageSize).contains(data.data.count) else { return false }
        let channel = OpaquePointer(engine.pointer)
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        if data.isBinary {
            let bytes = data.data.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
            defer { g_bytes_unref(bytes) }
            return gst_webrtc_data_channel_send_data_full(channel, bytes, &error) != 0
        }
        guard let text = String(data: data.data, encoding: .utf8), !text.utf8.contains(0) else { return false }
        return gst_webrtc_data_channel_send_string_full(channel, text, &error) != 0
    }

    /// Closes the channel for good.
    public func close() {
        let engine: OwnedObject? = state.withLock { state in
            guard state.readyState == .open || state.readyState == .connecting else { return nil }
            return state.engine
        }
        guard let engine else { return }
        gst_webrtc_data_channel_close(OpaquePointer(engine.pointer))
    }

    /// Ends the channel with its connection. On the queue.
    func connectionClosed() {
        detach()
        changeState(to: .closed)
    }

    private func detach() {
        let (connections, engine): ([SignalConnection], OwnedObject?) = state.withLock { state in
            defer { (state.connections, state.engine, state.bin) = ([], nil, nil) }
            return (state.connections, state.engine)
        }
        // The engine's object must outlive the disconnecting.
        withExtendedLifetime(engine) { connections.forEach { $0.disconnect() } }
    }

    private func readyStateChanged() {
        guard let engine = state.withLock({ $0.engine }) else { return }
        let number = Int(pl_get_int(engine.pointer, "ready-state"))
        // The engine of this version counts from 1 (its 0 was removed).
        guard let new = RTCDataChannelState(rawValue: number - 1) else { return }
        if new == .open { learnName() }
        queue.async { self.changeState(to: new) }
    }

    private func changeState(to new: RTCDataChannelState) {
        dispatchPrecondition(condition: .onQueue(queue))
        let delegate: Unchecked<(any RTCDataChannelDelegate)?>? = state.withLock { state in
            // Never backwards: a late word of the engine may arrive after the connection has closed.
            guard new.rawValue > state.readyState.rawValue else { return nil }
            state.readyState = new
            return Unchecked(state.delegate)
        }
        delegate?.value?.dataChannelDidChangeState(self)
    }

    private func bufferedAmountFell() {
        let amount = bufferedAmount
        queue.async {
            self.delegate?.dataChannel(self, didChangeBufferedAmount: amount)
        }
    }

    private func received(_ data: Data, isBinary: Bool) {
        let buffer = RTCDataBuffer(data: data, isBinary: isBinary)
        queue.async {
            guard let bin = self.state.withLock({ $0.bin }), self.trust.holds(for: bin) else { return }
            let keeps = self.state.withLock { state in
                guard state.unreadBytes + data.count <= Self.unreadLimit, state.unread.count < 1024 else {
                    return false
                }
                state.unread.append(buffer)
                state.unreadBytes += data.count
                return true
            }
            if !keeps { GStreamer.log.warning("a message on the channel \(self.label) was dropped: nobody reads it") }
            self.deliverUnread()
        }
    }

    private func deliverUnread() {
        dispatchPrecondition(condition: .onQueue(queue))
        while true {
            let next: Unchecked<(any RTCDataChannelDelegate, RTCDataBuffer)>? = state.withLock { state in
                guard let delegate = state.delegate, !state.unread.isEmpty else { return nil }
                let buffer = state.unread.removeFirst()
                state.unreadBytes -= buffer.data.count
                return Unchecked((delegate, buffer))
            }
            guard let (delegate, buffer) = next?.value else { return }
            delegate.dataChannel(self, didReceiveMessageWith: buffer)
        }
    }
}
