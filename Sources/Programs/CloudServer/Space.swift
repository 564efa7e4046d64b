/// A home: what devices belong to and tokens open.
public struct Space: Sendable, Hashable {
    /// As it stands in paths.
    public let id: String
    /// What people call it.
    public let name: String
}
