/// Where a device, or the pairing session that brings it in, stands.
public enum DeviceAuthStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// A session exists; no camera has used it.
    case initialized
    /// The camera has registered with the session's key.
    case authenticated
    /// The camera has proved its key on its own connection: it is usable.
    case paired
    /// As paired, and its cellular plan or set-up has been completed.
    case activated
    /// The attempt failed.
    case failed
}
