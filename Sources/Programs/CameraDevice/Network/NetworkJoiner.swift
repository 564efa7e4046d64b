public import Wire

/// What gets a camera onto a network: wpa_supplicant on a board with a Wi-Fi chip, ``SimulatedNetworks`` on a wired one.
///
/// Called from any task, one call at a time. Delays of a real radio are seconds; a caller that has lost interest cancels.
public protocol NetworkJoiner: Sendable {
    /// Whether the camera joins a Wi-Fi network itself. Where it does not, a failure can be reported to the cloud by the
    /// wire.
    var managesWiFi: Bool { get }

    /// Whether it joins networks on 5 GHz, so that an app can warn before the password is typed.
    var joinsFiveGigahertz: Bool { get }

    /// The networks heard now, in any order; one network may stand in it once for each of its stations.
    /// - Throws: Any error when the radio cannot scan; its description is logged.
    func scan() async throws -> [HeardNetwork]

    /// Joins a network and waits until it has given an address.
    ///
    /// The credentials replace those of an earlier network only when joining has succeeded.
    func join(_ credentials: PairingCredentials) async throws(PairingFailure)

    /// Strength of the joined network in dBm, or nil where there is none to measure.
    func signalStrength() async -> Int?
}
