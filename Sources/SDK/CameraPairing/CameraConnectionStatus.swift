/// The connection to the chosen camera. Source: seed 000, 'Types'.
public enum CameraConnectionStatus: Sendable, Hashable {
    /// The camera is ready to take commands.
    case connected
    /// An attempt failed or timed out, or the connection ended. Expected once the credentials have been written.
    case notConnected
    /// Nothing has been attempted since the last scan began.
    case none
}
