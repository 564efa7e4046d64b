public import Wire

/// What gets a camera onto a network: ``WpaSupplicant`` on a board with a Wi-Fi chip, ``SimulatedNetworks`` on a wired one.
///
/// Called from any task, one call at a time. Delays of a real radio are seconds; a caller that has lost interest cancels.
public protocol NetworkJoiner: Sendable {
    /// What it is, for a person: one line, told once at the start.
    var summary: String { get }

    /// Whether the camera joins a Wi-Fi network itself.
    var managesWiFi: Bool { get }

    /// Whether it joins networks on 5 GHz, so that an app can warn before the password is typed.
    var joinsFiveGigahertz: Bool { get }

    /// The networks heard now, in any order; one network may stand in it once for each of its stations.
    /// - Throws: Any error when the radio cannot scan; its description is logged.
    func scan() async throws -> [HeardNetwork]

    /// Joins a network and waits until it has given an address.
    ///
    /// The credentials replace those of an earlier network only when joining has succeeded; when it fails or is cancelled,
    /// the earlier network is joined again, which this does not wait for.
    func join(_ network: NetworkCredentials) async throws(PairingFailure)

    /// Goes back to the network that was joined before the camera was started, and stays on it however long it takes to
    /// be heard again. Does not wait for it.
    func resume(_ network: NetworkCredentials) async

    /// Whether the cloud may be reached although joining has just failed: by wire, or by the earlier network. Then the
    /// camera reports the failure there.
    func hasAnotherWay() async -> Bool

    /// Strength of the joined network in dBm, or nil where there is none to measure.
    func signalStrength() async -> Int?
}
