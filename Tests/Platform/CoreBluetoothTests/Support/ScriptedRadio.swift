import Basics
import Dispatch
import Foundation
import TestSupport

@testable import CoreBluetooth

/// A radio that does what a test says, when it says so: for orders of events that no real one can be held to.
final class ScriptedRadio: RadioBackend {
    let central = Locked<ScriptedCentral?>(nil)
    let peripheral = Locked<ScriptedPeripheral?>(nil)
    private let state = FileManager.default.temporaryDirectory.appendingPathComponent("scripted-\(UUID())")

    deinit { try? FileManager.default.removeItem(at: state) }

    /// For a manager with this radio.
    var options: [String: Any] {
        [RadioSelection.backendKey: self as any RadioBackend, CBManagerOptionStateDirectoryKey: state.path]
    }

    func makeCentral(on queue: DispatchQueue) -> any CentralRadio {
        let made = ScriptedCentral(on: queue)
        central.withLock { $0 = made }
        return made
    }

    func makePeripheral(on queue: DispatchQueue) -> any PeripheralRadio {
        let made = ScriptedPeripheral(on: queue)
        peripheral.withLock { $0 = made }
        return made
    }
}

/// Records what it is asked; a disconnection is answered, as every radio does.
final class ScriptedCentral: CentralRadio {
    let asked = Recorder<String>()
    private let queue: DispatchQueue
    private let deliver = Locked<(@Sendable (CentralRadioEvent) -> Void)?>(nil)

    init(on queue: DispatchQueue) { self.queue = queue }

    /// Reports an event in its turn on the radio's queue.
    func report(_ event: CentralRadioEvent) {
        queue.async { [self] in deliver.withLock({ $0 })?(event) }
    }

    var connectedPeripherals: [RadioAddress: [CBUUID]] { [:] }

    func start(_ deliver: @escaping @Sendable (CentralRadioEvent) -> Void) {
        self.deliver.withLock { $0 = deliver }
        deliver(.state(.poweredOn))
    }
    func shutdown() { deliver.withLock { $0 = nil } }
    func scan(_ request: ScanRequest) { asked.record("scan") }
    func stopScan() { asked.record("stopScan") }
    func connect(_ address: RadioAddress) { asked.record("connect") }
    func disconnect(_ address: RadioAddress) {
        asked.record("disconnect")
        deliver.withLock({ $0 })?(.disconnected(address, nil))
    }
    func link(to address: RadioAddress) -> (any AttributeLink)? { nil }
}

/// Records what it is asked; a service is added when the test says so.
final class ScriptedPeripheral: PeripheralRadio {
    let asked = Recorder<String>()
    private let queue: DispatchQueue
    private let deliver = Locked<(@Sendable (PeripheralRadioEvent) -> Void)?>(nil)
    private let additions = Locked<[AttributeID: (LocalService, RadioCompletion<Void>)]>([:])

    init(on queue: DispatchQueue) { self.queue = queue }

    func report(_ event: PeripheralRadioEvent) {
        queue.async { [self] in deliver.withLock({ $0 })?(event) }
    }

    /// The service whose addition waits.
    var waiting: LocalService? { additions.withLock { $0.values.first?.0 } }

    func completeAddition() {
        queue.async { [self] in
            let waiting = additions.withLock { additions in
                defer { additions = [:] }
                return additions.values.map(\.1)
            }
            for completion in waiting { completion(.success(())) }
        }
    }

    func start(_ deliver: @escaping @Sendable (PeripheralRadioEvent) -> Void) {
        self.deliver.withLock { $0 = deliver }
        deliver(.state(.poweredOn))
    }
    func shutdown() { deliver.withLock { $0 = nil } }
    func add(_ service: LocalService, _ completion: @escaping RadioCompletion<Void>) {
        additions.withLock { $0[service.id] = (service, completion) }
        asked.record("add")
    }
    func remove(_ service: AttributeID) {
        asked.record("remove")
        additions.withLock { $0.removeValue(forKey: service) }?.1(.failure(.radio(.operationCancelled)))
    }
    func startAdvertising(_ advertisement: Advertisement, _ completion: @escaping RadioCompletion<Void>) {
        completion(.success(()))
    }
    func stopAdvertising() {}
    func respond(to ticket: RequestTicket, _ result: RadioResult<Data>) { asked.record("respond \(result)") }
    func notify(
        _ value: Data, for characteristic: AttributeID, to centrals: [RadioAddress],
        _ completion: @escaping @Sendable () -> Void
    ) { completion() }
    func setLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: RadioAddress) {}
}
