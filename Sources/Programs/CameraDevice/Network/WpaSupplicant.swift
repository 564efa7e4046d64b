import Basics
public import DBus
import Foundation
public import Wire

/// Joins networks with wpa_supplicant, over D-Bus.
///
/// It takes one wireless interface for the camera alone. The board has to run wpa_supplicant with its D-Bus interface,
/// and a DHCP client that watches the carrier (dhcpcd, systemd-networkd). Credentials are handed to wpa_supplicant's
/// memory and never written to its configuration; the camera keeps them with its registration and hands them over again
/// at each start, and whenever wpa_supplicant has been restarted.
///
/// State is the actor's, whose executor is the queue of its bus connection.
public actor WpaSupplicant: NetworkJoiner {
    /// How long the steps of joining may take. Together they are below the camera's limit for joining.
    struct Limits: Sendable {
        /// From choosing the network to being let in.
        var association: Duration = .seconds(30)
        /// From being let in to having an address.
        var address: Duration = .seconds(25)
        /// One scan.
        var scan: Duration = .seconds(12)
        /// Until a scan is tried again that was refused, since another one was under way.
        var scanPause: Duration = .seconds(1)
    }

    private static let scanAttempts = 4
    /// A station that was missed by the last scan may still be there; older ones are not shown.
    private static let stationLifetime = 60

    /// The name of the network interface, such as `wlan0`.
    public nonisolated let interface: String
    /// The executor is the bus connection's queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated let clock: any Clock<Duration>
    nonisolated let limits: Limits
    nonisolated let addresses: any AddressWatch
    nonisolated let log = Log("wifi")
    private nonisolated let executor = QueueExecutor(label: "porchlight.camera.wifi")
    private nonisolated let random: SharedRandom
    private nonisolated let bands = Locked<WiFiBands>([])
    private let bus: BusAddress

    private var connection: BusConnection?
    private var ownerWatch: BusSubscription?
    private var owner: String??
    private var keeping: Task<Void, Never>?

    /// The network that the camera belongs on.
    var wanted: NetworkCredentials?
    /// The attempt to join that is under way.
    var attempt: AsyncStream<JoinProgress.Event>.Continuation?
    /// The network that was joined and is neither kept nor left yet.
    var trial: Trial?
    /// ``wanted`` is to be handed over when the attempt and the trial have ended.
    var isHandOverDue = false

    /// Whether another network than ``wanted`` is being tried.
    private var isTrying: Bool { attempt != nil || trial != nil }

    init(
        interface: String, bus: BusAddress, clock: any Clock<Duration>, limits: Limits = Limits(),
        addresses: any AddressWatch = KernelAddresses(),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.interface = interface
        self.bus = bus
        self.clock = clock
        self.limits = limits
        self.addresses = addresses
        random = SharedRandom(generator)
    }

    deinit { keeping?.cancel() }

    /// Takes an interface.
    /// - Parameters:
    ///   - interface: Its name, such as `wlan0`. wpa_supplicant is told to take it where it has not yet.
    ///   - bus: Where wpa_supplicant is.
    ///   - clock: Measures every time limit.
    /// - Throws: ``WiFiError`` when wpa_supplicant does not answer or does not take the interface, and
    ///   ``WiFiError/managed(interface:by:)`` when NetworkManager has it.
    public static func open(
        _ interface: String, bus: BusAddress = .system, clock: any Clock<Duration> = ContinuousClock()
    ) async throws(WiFiError) -> WpaSupplicant {
        let supplicant = WpaSupplicant(interface: interface, bus: bus, clock: clock)
        try await supplicant.prepare()
        return supplicant
    }

    /// The interface that a camera may take without being told: the first that a running wpa_supplicant has, that
    /// nobody else manages and that has no network but a camera's; nil without one. Starts nothing.
    public static func freeInterface(bus: BusAddress = .system) async -> String? {
        await WpaSupplicant(interface: "", bus: bus, clock: ContinuousClock()).findFreeInterface()
    }

    /// Says which interface it has.
    public nonisolated var summary: String { "joins networks with \(interface)" }

    /// True.
    public nonisolated var managesWiFi: Bool { true }

    /// Whether a network on 5 GHz was heard so far: wpa_supplicant does not tell what the radio could.
    public nonisolated var joinsFiveGigahertz: Bool { bands.withLock { $0.contains(.fiveGigahertz) } }

    // MARK: Listening

    /// Scans, and lists what was heard; networks that hide their names are left out.
    /// - Throws: ``WiFiError``.
    public func scan() async throws -> [HeardNetwork] {
        let supplicant = try await supplicant()
        try await completeScan(supplicant)
        let stations = try await supplicant.stations()
        note(stations)
        return stations.filter { !$0.isHidden && $0.age <= Self.stationLifetime }.map(\.network)
    }

    /// Strength of the station that the camera is on. Asks only: an interface that wpa_supplicant has not taken stays so.
    public func signalStrength() async -> Int? {
        do throws(WiFiError) {
            return try await knownInterface()?.signal()
        } catch {
            log.debug("no signal strength: \(error)")
            return nil
        }
    }

    /// Whether there is an earlier network, or a wire. Asks only.
    public func hasAnotherWay() async -> Bool {
        if wanted != nil || addresses.isReachable(without: interface) { return true }
        // One that the board has configured.
        guard let blocks = try? await knownInterface()?.blocks() else { return false }
        return blocks.contains(where: \.isEnabled)
    }

    private func completeScan(_ supplicant: SupplicantInterface) async throws(WiFiError) {
        enum Step: Sendable { case done(Bool), timeIsUp(attempt: Int) }
        let (steps, step) = AsyncStream.makeStream(of: Step.self)
        let subscriptions = supplicant.observe { change in
            if case .scanDone(let success) = change { step.yield(.done(success)) }
        }
        defer { for subscription in subscriptions { subscription.cancel() } }
        var reason = "nothing was heard of a scan"
        for attempt in 1...Self.scanAttempts {
            var limit = limits.scan
            do throws(BusError) {
                try await supplicant.startScan()
            } catch {
                // Usually since one is under way, whose end is as good.
                (limit, reason) = (limits.scanPause, error.description)
            }
            let timer = Task { [clock, limit] in
                try await clock.sleep(for: limit)
                step.yield(.timeIsUp(attempt: attempt))
            }
            defer { timer.cancel() }
            attempt: for await step in steps {
                switch step {
                case .done(true): return
                case .done(false):
                    reason = "the radio was busy"
                    try? await clock.sleep(for: limits.scanPause)
                    break attempt
                case .timeIsUp(attempt): break attempt
                case .timeIsUp: break
                }
            }
            if Task.isCancelled { throw .interrupted }
        }
        throw .scanFailed(reason: reason)
    }

    private func note(_ stations: [HeardStation]) {
        let heard = stations.reduce(into: WiFiBands()) { $0.formUnion($1.band) }
        bands.withLock { $0.formUnion(heard) }
    }

    // MARK: Staying

    /// Begins where the run before ended, however it ended.
    ///
    /// With a network, it is handed to wpa_supplicant, which keeps looking for it; other ones of a camera's making are taken
    /// out. Without one, a network that was being tried when that run was killed is left, for the one before.
    public func resume(_ network: NetworkCredentials?) async {
        guard let network else { return await leaveAbandonedTrial() }
        wanted = network
        stayOnWanted()
    }

    private func leaveAbandonedTrial() async {
        guard wanted == nil, !isTrying else { return }
        do throws(WiFiError) {
            // One that does not run has no network either.
            if let supplicant = try await knownInterface() { try await endTrials(at: supplicant) }
        } catch {
            // It is tried again before a network is joined.
            log.warning("the network that was being tried is still there: \(error)")
        }
    }

    /// Sees to it, in the background and until it is done, that wpa_supplicant has the network that the camera belongs on.
    func stayOnWanted() {
        isHandOverDue = isTrying
        guard wanted != nil, keeping == nil, !isTrying else { return }
        keeping = Task { [weak self, clock, random] in
            var backoff = Backoff(limit: .seconds(30))
            while let isDone = await self?.reinstate(), !isDone {
                guard (try? await clock.sleep(for: backoff.next(random))) != nil else { return }
            }
        }
    }

    /// Returns when wpa_supplicant has the network that the camera belongs on.
    func waitUntilStaying() async { await keeping?.value }

    /// - Returns: Whether there is nothing left to do.
    private func reinstate() async -> Bool {
        guard let wanted, !isTrying else {
            (isHandOverDue, keeping) = (isTrying, nil)
            return true
        }
        do throws(WiFiError) {
            try await handOver(wanted, to: try await supplicant())
        } catch {
            log.warning("\(wanted.networkName) cannot be handed to wpa_supplicant: \(error)")
            // A radio that does not know that kind of network will not learn it.
            guard case .unsuitable = error else { return false }
        }
        keeping = nil
        return true
    }

    private func handOver(
        _ network: NetworkCredentials, to supplicant: SupplicantInterface
    ) async throws(WiFiError) {
        let ours = try await supplicant.blocks().filter(\.isOurs)
        // Of an earlier run of this program, perhaps one that was killed: a connection that works is not broken.
        let path = try await supplicant.currentBlock()
        if let current = ours.first(where: { $0.path == path }), try await supplicant.currentSSID() == network.ssid {
            if current.retreat != nil { try await supplicant.keep(current.path) }
            return try await remove(ours.filter { $0 != current }, from: supplicant)
        }
        let request = try SupplicantNetwork(network, methods: try await supplicant.methods())
        let block = try await supplicant.add(request)
        guard !isTrying else {
            // Another network is being joined since; this one is its fallback no longer, or again afterwards.
            isHandOverDue = true
            return try await supplicant.remove(block)
        }
        try await supplicant.select(block)
        try await remove(ours, from: supplicant)
        log.info("handed \(network.networkName) to wpa_supplicant")
    }

    private func remove(
        _ blocks: [SupplicantInterface.Block], from supplicant: SupplicantInterface
    ) async throws(WiFiError) {
        for block in blocks { try await supplicant.remove(block.path) }
    }

    // MARK: The bus

    /// The interface at wpa_supplicant; nil where it has not taken it.
    private func knownInterface() async throws(WiFiError) -> SupplicantInterface? {
        try await SupplicantInterface.find(interface, on: try connected())
    }

    /// The interface at wpa_supplicant, which takes it where it has not.
    func supplicant() async throws(WiFiError) -> SupplicantInterface {
        try await SupplicantInterface.open(interface, on: try connected())
    }

    private func prepare() async throws(WiFiError) {
        let connection = try connected()
        if await NetworkManager.manages(interface, on: connection) {
            throw .managed(interface: interface, by: "NetworkManager")
        }
        note(try await supplicant().stations())
    }

    private func findFreeInterface() async -> String? {
        guard let connection = try? connected(), let all = try? await SupplicantInterface.all(on: connection) else {
            return nil
        }
        for (name, supplicant) in all where !name.hasPrefix("p2p-") {
            // With a network of its own it is how the board is reached. One that does not tell is left alone too.
            guard let blocks = try? await supplicant.blocks(), blocks.allSatisfy(\.isOurs) else { continue }
            if !(await NetworkManager.manages(name, on: connection)) { return name }
        }
        return nil
    }

    private func connected() throws(WiFiError) -> BusConnection {
        if let connection { return connection }
        do throws(BusError) {
            let connection = try BusConnection(bus, queue: executor.queue)
            connection.onDisconnect = { [weak self] in
                self?.assumeIsolated { $0.busIsGone() }
            }
            owner = nil
            ownerWatch = connection.watchOwner(of: SupplicantInterface.service) { [weak self] owner in
                self?.assumeIsolated { $0.ownerChanged(owner) }
            }
            self.connection = connection
            return connection
        } catch {
            throw .noSupplicant(reason: error.description)
        }
    }

    private func busIsGone() {
        log.warning("the message bus is gone")
        (connection, ownerWatch) = (nil, nil)
        attempt?.yield(.supplicantGone)
        stayOnWanted()
    }

    private func ownerChanged(_ new: String?) {
        defer { owner = .some(new) }
        // The first report is of what is so already.
        guard let before = owner, before != new else { return }
        if new == nil {
            log.warning("wpa_supplicant has ended")
            attempt?.yield(.supplicantGone)
        } else {
            stayOnWanted()
        }
    }
}
