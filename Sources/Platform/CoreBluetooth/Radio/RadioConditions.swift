import Basics

/// The simulated air around one software radio. May be changed at any time, from any thread.
///
/// Linux only: handed to a manager under ``CBManagerOptionRadioConditionsKey``. Without it the environment decides:
/// `PORCHLIGHT_RADIO_RSSI` (dBm), `PORCHLIGHT_RADIO_INTERVAL` and `PORCHLIGHT_RADIO_LATENCY` (milliseconds),
/// `PORCHLIGHT_RADIO_LOSS` (0 to 1) and `PORCHLIGHT_RADIO_MTU` (bytes).
public final class RadioConditions: Sendable {
    /// The figures, as they stand at one moment.
    struct Values: Sendable {
        var signalStrength = -50
        var attenuation = 0
        var advertisingInterval = Duration.milliseconds(100)
        var loss = 0.0
        var latency = Duration.zero
        var mtu = 517
        var isPowered = true
        /// How often the radio was switched off: who reads the conditions after it is on again still learns of the gap.
        var outages = 0
    }

    private struct State {
        var values: Values
        var packetsUntilLoss: Int?
        var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state: Locked<State>
    /// What the software radio of these conditions measures time with.
    let clock: any Clock<Duration>

    /// A perfect air: -50 dBm, ten advertisements a second, nothing lost, no latency, the largest MTU.
    /// - Parameter clock: Measures the software radio's intervals and time limits.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        state = Locked(State(values: Values()))
        self.clock = clock
    }

    init(_ values: Values) {
        state = Locked(State(values: values))
        clock = ContinuousClock()
    }

    /// Reads the environment; what is absent or out of range keeps its default.
    convenience init(environment: [String: String]) {
        var values = Values()
        func read<Number: LosslessStringConvertible>(_ name: String, _ range: ClosedRange<Number>) -> Number? {
            environment["PORCHLIGHT_RADIO_" + name].flatMap(Number.init).flatMap { range.contains($0) ? $0 : nil }
        }
        if let rssi = read("RSSI", -127...20) { values.signalStrength = rssi }
        if let interval = read("INTERVAL", 1...60_000) { values.advertisingInterval = .milliseconds(interval) }
        if let latency = read("LATENCY", 0...60_000) { values.latency = .milliseconds(latency) }
        if let loss = read("LOSS", 0.0...1.0) { values.loss = loss }
        if let mtu = read("MTU", 23...517) { values.mtu = mtu }
        self.init(values)
    }

    /// The strength at which others receive this radio, in dBm.
    public var signalStrength: Int {
        get { values.signalStrength }
        set { change { $0.signalStrength = min(max(newValue, -127), 20) } }
    }

    /// How much weaker this radio receives others, in dB.
    public var attenuation: Int {
        get { values.attenuation }
        set { change { $0.attenuation = newValue } }
    }

    /// Time between two advertisements; at least one millisecond.
    public var advertisingInterval: Duration {
        get { values.advertisingInterval }
        set { change { $0.advertisingInterval = max(newValue, .milliseconds(1)) } }
    }

    /// The share of packets that are lost, 0 to 1. A lost advertisement is gone; a lost packet of a connection is sent
    /// again, so it costs time.
    public var loss: Double {
        get { values.loss }
        set { change { $0.loss = min(max(newValue, 0), 1) } }
    }

    /// How long each packet of a connection takes to the other side.
    public var latency: Duration {
        get { values.latency }
        set { change { $0.latency = max(newValue, .zero) } }
    }

    /// The largest ATT MTU this side offers to new connections, 23 to 517.
    public var mtu: Int {
        get { values.mtu }
        set { change { $0.mtu = min(max(newValue, 23), 517) } }
    }

    /// How many more packets of connections this radio sends or receives until one is lost with its connection: at 0 the
    /// next one does not arrive, and both sides hear that the other is gone. Then, and at first, nil: never.
    public var packetsUntilLoss: Int? {
        get { state.withLock { $0.packetsUntilLoss } }
        set { state.withLock { $0.packetsUntilLoss = newValue.map { max($0, 0) } } }
    }

    /// Counts a packet of a connection.
    /// - Returns: Whether it is lost, and its connection with it.
    func losesConnection() -> Bool {
        state.withLock { state in
            guard let left = state.packetsUntilLoss else { return false }
            state.packetsUntilLoss = left > 0 ? left - 1 : nil
            return left == 0
        }
    }

    /// Whether the radio is switched on.
    public var isPowered: Bool {
        get { values.isPowered }
        set {
            change { values in
                if values.isPowered, !newValue { values.outages += 1 }
                values.isPowered = newValue
            }
        }
    }

    var values: Values { state.withLock { $0.values } }

    /// Calls `body` after every change, on the thread that made it, until ``unwatch(_:)``.
    func watch(_ owner: AnyObject, _ body: @escaping @Sendable () -> Void) {
        let key = ObjectIdentifier(owner)
        state.withLock { $0.watchers[key] = body }
    }

    func unwatch(_ owner: AnyObject) {
        let key = ObjectIdentifier(owner)
        state.withLock { $0.watchers[key] = nil }
    }

    private func change(_ body: @Sendable (inout Values) -> Void) {
        let watchers = state.withLock { state in
            body(&state.values)
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher() }
    }
}
