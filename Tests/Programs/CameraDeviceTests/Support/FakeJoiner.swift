import Basics
import Wire

@testable import CameraDevice

/// Joins what a test lets it join, on paper, and notes what it was asked for. Safe from any thread.
final class FakeJoiner: NetworkJoiner {
    /// What was asked for.
    enum Request: Sendable, Equatable {
        case join, keep, goBack
        case resume(NetworkCredentials?)
    }

    let managesWiFi: Bool
    private let refusal: PairingFailure?
    private let isReachable: Bool
    private let onKeep: @Sendable () -> Void
    private let log = Locked<[Request]>([])

    /// - Parameters:
    ///   - refusal: How joining ends; nil for well.
    ///   - isReachable: Whether there is another way.
    ///   - onKeep: Called when the network is to be kept.
    init(
        managesWiFi: Bool = true, refusal: PairingFailure? = nil, isReachable: Bool = false,
        onKeep: @escaping @Sendable () -> Void = {}
    ) {
        self.managesWiFi = managesWiFi
        self.refusal = refusal
        self.isReachable = isReachable
        self.onKeep = onKeep
    }

    /// All requests so far.
    var requests: [Request] { log.withLock { $0 } }

    var summary: String { "joins networks with wlan0" }
    var joinsFiveGigahertz: Bool { false }
    func scan() async -> [HeardNetwork] { [] }

    func join(_ network: NetworkCredentials) async throws(PairingFailure) {
        note(.join)
        if let refusal { throw refusal }
    }

    func keep() async {
        note(.keep)
        onKeep()
    }

    func goBack() async { note(.goBack) }
    func resume(_ network: NetworkCredentials?) async { note(.resume(network)) }
    func hasAnotherWay() async -> Bool { isReachable }
    func signalStrength() async -> Int? { nil }

    private func note(_ request: Request) { log.withLock { $0.append(request) } }
}
