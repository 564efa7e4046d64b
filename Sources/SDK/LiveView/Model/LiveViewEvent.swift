public import Foundation
public import Wire

/// What happens to a live view: the callbacks of ``LiveViewModel`` as values.
public enum LiveViewEvent: Sendable, Equatable {
    /// The first frame of a connection has been decoded.
    case connected
    /// The session was torn down by this side: a call, or the time that was set for it.
    case terminated
    /// It was given up; nothing is tried again by itself.
    case error(LiveViewError)
    /// The connection is made anew.
    case reconnecting
    /// There was no frame within 30 s of the beginning.
    case timedOut
    /// A message that is none of the SDK's own.
    case dataChannelMessage(Data)
    /// The data channel opened or closed.
    case dataChannelOpen(Bool)
    /// The device's record was read again before reconnecting.
    case deviceRefreshed(DeviceModel)
    /// There was no frame for 15 s.
    case frameTimedOut
    /// The camera ended the stream; the reason is for a person and may be empty.
    case streamEnded(reason: String)
    /// The stream or its set-up failed; the reason is for a person.
    case streamFailed(reason: String)
}
