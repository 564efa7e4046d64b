/// How a client's WebSocket connects and what it accepts. Sizes are in bytes.
public struct ClientConfiguration: Sendable {
    /// How long looking up the name, connecting, TLS and the handshake may take together.
    public var connectTimeout: Duration = .seconds(10)
    /// How often the server is pinged, ±10 %; after 1.5 of it without a sign of life the socket is closed.
    public var keepAlive: Duration = .seconds(55)
    /// How long a closing handshake may take.
    public var closeTimeout: Duration = .seconds(5)
    /// The most that a message may have, fragments together; beyond it the socket is closed with 1009.
    public var maximumMessageBytes = 1 << 20
    /// What may wait for a slow server; beyond it the socket is closed.
    public var maximumQueuedBytes = 4 << 20
    /// For `wss`: a PEM file of the authorities to trust instead of the system's. While the
    /// system's clock stands before 2025, which it does on devices without a clock battery until they have asked the
    /// network, periods of validity are not checked.
    public var caFile: String?
    /// Measures ``connectTimeout``.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// The defaults.
    public init() {}
}
