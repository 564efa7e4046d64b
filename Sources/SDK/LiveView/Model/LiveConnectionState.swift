/// Where a live view stands. Source: seed 004, 'Connection state and the data channel'.
public enum LiveConnectionState: Sendable, Hashable {
    /// Nothing has been tried, or it was disconnected.
    case none
    /// It is being connected, or connected again.
    case initiated
    /// Frames arrive.
    case connected
    /// It was given up, or terminated.
    case failed
}
