import Basics
import Foundation
public import Wire

/// The networks of a camera that has no Wi-Fi to manage: a list, and the answers a real radio would give.
///
/// The camera is on the network by wire, or shares the machine's connection. Pairing goes its usual way all the same, so
/// that an app sees what it would see from a wireless camera: the list, a wrong password, a network out of range. State
/// is behind one lock; safe from any thread.
public final class SimulatedNetworks: NetworkJoiner {
    /// A network of the list.
    public struct Network: Sendable, Hashable {
        /// As the scan reports it.
        public var heard: HeardNetwork
        /// What it takes to join; nil for an open network, and for one that cameras do not join.
        public var password: Secret?

        /// Describes a network.
        /// - Parameters:
        ///   - name: The SSID as text, at most 32 bytes.
        ///   - rssi: Strength at the camera in dBm.
        public init(
            _ name: String, security: WiFiSecurity, password: String? = nil, rssi: Int,
            bands: WiFiBands = .twoGigahertz
        ) {
            heard = HeardNetwork(ssid: Data(name.utf8), security: security, rssi: rssi, bands: bands)
            self.password = password.map(Secret.init)
        }
    }

    /// How long a radio takes.
    public struct Delays: Sendable, Hashable {
        /// A scan of all channels.
        public var scan: Duration
        /// Association, key exchange and address.
        public var join: Duration
        /// Until a station has refused the password often enough to be sure.
        public var refusal: Duration

        /// Chooses delays.
        public init(scan: Duration, join: Duration, refusal: Duration) {
            self.scan = scan
            self.join = join
            self.refusal = refusal
        }

        /// About what a small Wi-Fi chip takes.
        public static let realistic = Delays(
            scan: .milliseconds(1500), join: .milliseconds(1200), refusal: .milliseconds(2500))
        /// At once.
        public static let none = Delays(scan: .zero, join: .zero, refusal: .zero)
    }

    /// A list for demonstrations: `Porchlight Demo` with the password `porchlight`, and neighbours of every kind.
    public static let demonstration: [Network] = [
        Network(
            "Porchlight Demo", security: .wpa2, password: "porchlight", rssi: -48,
            bands: [.twoGigahertz, .fiveGigahertz]),
        Network("Porchlight Guest", security: .open, rssi: -51),
        Network("Workshop", security: .wpa3, password: "chisel and plane", rssi: -63),
        Network("Attic 5G", security: .wpa2, password: "under the roof", rssi: -67, bands: .fiveGigahertz),
        Network("Garden Shed", security: .wpa, password: "wheelbarrow", rssi: -79),
        Network("Campus", security: .enterprise, rssi: -82),
        Network("Bell Tower", security: .wpa2, password: "quarter past nine", rssi: -88),
    ]

    /// What a wired camera lists, since clients want a network to be chosen: one open network that says so.
    public static let wired: [Network] = [Network("Wired network", security: .open, rssi: -30)]

    /// The list.
    public let networks: [Network]
    private let delays: Delays
    private let clock: any Clock<Duration>
    private let joined = Locked<Joined>(Joined())

    private struct Joined {
        var kept: HeardNetwork?
        var onTrial: HeardNetwork?
    }

    /// Makes a list of networks.
    public init(
        _ networks: [Network] = SimulatedNetworks.demonstration, delays: Delays = .realistic,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.networks = networks
        self.delays = delays
        self.clock = clock
    }

    /// Says that there is no radio.
    public var summary: String { "none to manage; it takes the credentials of a simulated network list" }

    /// False: there is no radio.
    public var managesWiFi: Bool { false }

    /// True: the list has such a network.
    public var joinsFiveGigahertz: Bool { true }

    /// The list, after the delay of a scan.
    public func scan() async throws -> [HeardNetwork] {
        try await clock.sleep(for: delays.scan)
        return networks.map(\.heard)
    }

    /// Compares with the list, after the delay of joining.
    public func join(_ network: NetworkCredentials) async throws(PairingFailure) {
        let verdict = self.verdict(on: network)
        let delay =
            switch verdict {
            case .success: delays.join
            case .failure: delays.refusal
            }
        do {
            try await clock.sleep(for: delay)
        } catch {
            throw .internalFault
        }
        let heard = try verdict.get()
        joined.withLock { $0.onTrial = heard }
    }

    /// Keeps the network that was joined.
    public func keep() async {
        joined.withLock { joined in
            if let network = joined.onTrial { joined = Joined(kept: network) }
        }
    }

    /// Goes back to the network that was kept last.
    public func goBack() async { joined.withLock { $0.onTrial = nil } }

    /// Does nothing: there is no radio.
    public func resume(_ network: NetworkCredentials?) async {}

    /// True: the camera is wired.
    public func hasAnotherWay() async -> Bool { true }

    /// The strength of the joined network; before one is joined, of the strongest.
    public func signalStrength() async -> Int? {
        joined.withLock { ($0.onTrial ?? $0.kept)?.rssi } ?? networks.map(\.heard.rssi).max()
    }

    private func verdict(on credentials: NetworkCredentials) -> Result<HeardNetwork, PairingFailure> {
        let sameName = networks.filter { $0.heard.ssid == credentials.ssid }
        guard !sameName.isEmpty else { return .failure(.networkNotFound) }
        // One name may stand for an open and a protected network; the credentials say which is meant.
        if credentials.security == .open {
            if let network = sameName.first(where: { $0.heard.security == .open }) { return .success(network.heard) }
            return .failure(sameName.contains { $0.password != nil } ? .wrongPassword : .invalidCredentials)
        }
        guard sameName.contains(where: { $0.password != nil }) else { return .failure(.invalidCredentials) }
        guard let network = sameName.first(where: { $0.password == credentials.password }) else {
            return .failure(.wrongPassword)
        }
        return .success(network.heard)
    }
}
