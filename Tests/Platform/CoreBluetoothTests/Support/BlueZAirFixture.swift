import Basics
import CoreBluetooth
import DBus
import Dispatch
import Foundation
import TestSupport

/// The radio lab's controllers under bluetoothd: each manager gets one that nobody else in the test has, while there are.
///
/// Tests take turns with it. Safe from any thread; what changes is in one lock.
final class BlueZAirFixture: AirFixture {
    private struct State {
        var central = 0
        var peripheral = 0
        var addresses: [String: String] = [:]
        var conditions: [ObjectIdentifier: String] = [:]
    }

    /// Paths of the adapters of each role. The controllers of one role are not reused for the other: a link's two ends are
    /// never on one controller.
    private let centrals: [String]
    private let peripherals: [String]
    private let daemon: BlueZDaemon
    private let directory: TemporaryDirectory
    private let state = Locked(State())

    /// Waits until nothing of an earlier test is left on the controllers.
    init() async throws {
        directory = try TemporaryDirectory()
        daemon = try BlueZDaemon()
        try await daemon.clear()
        let adapters = try await daemon.adapters()
        centrals = adapters.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        peripherals = adapters.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        if peripherals.isEmpty { throw BlueZDaemon.Failure.tooFewAdapters(adapters.count) }
    }

    func central(_ conditions: RadioConditions?) -> [String: Any] {
        options(
            state.withLock { state in
                let adapter = centrals[state.central % centrals.count]
                state.central += 1
                return remember(adapter, conditions, &state)
            })
    }

    func peripheral(_ conditions: RadioConditions?) -> [String: Any] {
        options(state.withLock { remember(nextPeripheral(&$0), conditions, &$0) })
    }

    func peripheral(at address: String) -> [String: Any] {
        options(
            state.withLock { state in
                let adapter = state.addresses[address] ?? nextPeripheral(&state)
                state.addresses[address] = adapter
                return adapter
            })
    }

    func setPowered(_ isPowered: Bool, _ conditions: RadioConditions) async throws {
        let adapter = state.withLock { $0.conditions[ObjectIdentifier(conditions)] }
        if let adapter { try await daemon.setPowered(isPowered, adapter) }
    }

    private func nextPeripheral(_ state: inout State) -> String {
        defer { state.peripheral += 1 }
        return peripherals[state.peripheral % peripherals.count]
    }

    private func remember(_ adapter: String, _ conditions: RadioConditions?, _ state: inout State) -> String {
        if let conditions { state.conditions[ObjectIdentifier(conditions)] = adapter }
        return adapter
    }

    private func options(_ adapter: String) -> [String: Any] {
        [CBManagerOptionAdapterKey: adapter, CBManagerOptionStateDirectoryKey: directory.path("state")]
    }
}
