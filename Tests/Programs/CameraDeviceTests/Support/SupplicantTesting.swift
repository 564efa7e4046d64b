import Basics
import DBus
import TestSupport
import Testing
import Wire

@testable import CameraDevice

/// A suite about ``WpaSupplicant``, on a bus and with a clock of its own.
protocol SupplicantTesting {
    var bus: PrivateBus { get }
    var clock: ManualClock { get }
}

extension SupplicantTesting {
    /// A camera's end, which has asked nobody yet.
    func made(_ addresses: FakeAddresses = FakeAddresses()) -> WpaSupplicant {
        WpaSupplicant(
            interface: "wlan0", bus: .address(bus.address), clock: clock, addresses: addresses,
            generator: SeededGenerator(1))
    }

    /// Begins to join, and returns when wpa_supplicant was told to.
    func joining(
        _ supplicant: WpaSupplicant, _ fake: FakeSupplicant, _ network: NetworkCredentials? = nil
    ) async throws -> Task<Void, any Error> {
        let network = try network ?? Samples.network(ssid: "Home", password: "correct horse")
        let task = Task { try await supplicant.join(network) }
        // Before it, the network of an earlier trial may be left, and one selected for it.
        let added = try await fake.next("AddNetwork") { if case .added = $0 { true } else { false } }
        guard case .added(let path) = added else { return task }
        try await fake.next("SelectNetwork") { $0 == .selected(path) }
        return task
    }

    /// Joins, and returns when the network is on trial.
    func join(
        _ ssid: String, _ supplicant: WpaSupplicant, _ fake: FakeSupplicant, _ addresses: FakeAddresses
    ) async throws -> NetworkCredentials {
        let network = try Samples.network(ssid: ssid, password: "correct horse")
        let task = try await joining(supplicant, fake, network)
        fake.report(["State": "completed"])
        addresses.report(.added(FakeAddresses.leased))
        #expect(try await failure(task) == nil)
        return network
    }

    func failure(_ task: Task<Void, any Error>) async throws -> PairingFailure? {
        try await within(.seconds(20), "the end of joining") {
            do {
                try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
                return nil
            } catch {
                return error as? PairingFailure
            }
        }
    }
}
