public import Wire

/// How a camera's attempt to join ended, told by the camera itself. Beyond the seed.
public enum PairingOutcome: Sendable, Hashable {
    /// It is on the network, and registered with the cloud where it is one of ours.
    case joined
    /// It is not, and waits for other credentials on the same connection.
    case failed(PairingFailure)
}
