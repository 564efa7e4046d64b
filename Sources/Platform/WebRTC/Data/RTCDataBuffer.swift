public import Foundation

/// One message of a data channel.
public final class RTCDataBuffer: Sendable {
    /// The bytes; UTF-8 when the message is a text.
    public let data: Data
    /// Whether the message is bytes, not a text.
    public let isBinary: Bool

    /// A message of bytes or of text.
    public init(data: Data, isBinary: Bool) {
        self.data = data
        self.isBinary = isBinary
    }
}

/// How a data channel is to be made (RFC 8832). A class, as its model is: fill it in, then hand it over.
public final class RTCDataChannelConfiguration {
    /// Whether messages arrive in the order they were sent.
    public var isOrdered = true
    /// For how long a message is retransmitted, in milliseconds; −1 for ever. Not together with ``maxRetransmits``.
    public var maxPacketLifeTime: Int32 = -1
    /// How often a message is retransmitted; −1 for ever. Not together with ``maxPacketLifeTime``.
    public var maxRetransmits: Int32 = -1
    /// Whether both sides make the channel by themselves, with the same ``channelId``.
    public var isNegotiated = false
    /// The channel's number, when ``isNegotiated``; 0 to 65534.
    public var channelId: Int32 = -1
    /// The name of what is spoken on the channel.
    public var `protocol` = ""

    /// Ordered and reliable.
    public init() {}
}

/// Whether a channel can carry messages.
public enum RTCDataChannelState: Int, Sendable {
    /// Not yet.
    case connecting
    /// Yes.
    case open
    /// Not any more; what was sent may still arrive.
    case closing
    /// Not any more.
    case closed
}

/// Hears of a channel's messages and states. Called on the connection's serial queue.
public protocol RTCDataChannelDelegate: AnyObject {
    /// The channel's state has changed.
    func dataChannelDidChangeState(_ dataChannel: RTCDataChannel)
    /// A message has arrived.
    func dataChannel(_ dataChannel: RTCDataChannel, didReceiveMessageWith buffer: RTCDataBuffer)
    /// Sent bytes have left, so that ``RTCDataChannel/bufferedAmount`` is smaller than `amount`.
    func dataChannel(_ dataChannel: RTCDataChannel, didChangeBufferedAmount amount: UInt64)
}

extension RTCDataChannelDelegate {
    /// Does nothing.
    public func dataChannel(_ dataChannel: RTCDataChannel, didChangeBufferedAmount amount: UInt64) {}
}
