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
    /// The network is on trial then, and the one before in reserve, until ``keep()`` or ``goBack()``. When joining fails or
    /// is cancelled, the one before is joined again, which this does not wait for.
    func join(_ network: NetworkCredentials) async throws(PairingFailure)

    /// Stays on the network that was joined, for good, and gives up the one before. To be called once the network is on the
    /// camera's disk; does nothing where none is on trial.
    func keep() async

    /// Leaves the network that was joined, and joins the one before again, which this does not wait for. Does nothing where
    /// none is on trial. Not hindered by the task's cancellation.
    func goBack() async

    /// Begins where the camera's run before ended, also when it was killed: to be called at the start, before ``join(_:)``.
    /// - Parameter network: The network that was kept, which is joined again and stayed on, however long it takes to be
    ///   heard; this does not wait for it. nil for a camera that is not paired: then a network that was on trial is left.
    func resume(_ network: NetworkCredentials?) async

    /// Whether the cloud may be reached although joining has just failed: by wire, or by the earlier network. Then the
    /// camera reports the failure there.
    func hasAnotherWay() async -> Bool

    /// Strength of the joined network in dBm, or nil where there is none to measure.
    func signalStrength() async -> Int?
}
