/// What a camera speaks while it waits to be paired. Beyond the seed.
public enum PairingProtocol: Sendable, Hashable, CaseIterable {
    /// The pairing protocol of this project, on the best layout that the camera offers.
    case porchlight
    /// Improv Wi-Fi, an open standard: networks and credentials in the clear, and no device id.
    case improv
}
