/// What a model shows of its device. Each mode of a device has a model of its own.
public enum LiveViewMode: Sendable, Hashable {
    /// What the lens sees now.
    case live
}
