import CoreBluetooth
import Dispatch
import Foundation

/// The central and the link to one camera: carries out what ``PairingFlow`` decides, and tells it what happens.
///
/// Confined to the manager's queue, which is the central's too.
final class CameraRadio: NSObject, CBCentralManagerDelegate {
    private let queue: DispatchQueue
    private let options: [String: Any]?
    private let randomness: PairingRandomness
    private let emit: (PairingFlow.Event) -> Void
    /// Whether the flow has this camera in its list, so that only those are held.
    private let knows: (UUID) -> Bool
    private var peripherals: [UUID: CBPeripheral] = [:]
    private var link: CameraLink?
    private(set) var central: CBCentralManager?
    /// What the app asks of the next link.
    var wishes = PairingWishes()

    init(
        queue: DispatchQueue, options: [String: Any]?, randomness: PairingRandomness, knows: @escaping (UUID) -> Bool,
        emit: @escaping (PairingFlow.Event) -> Void
    ) {
        self.queue = queue
        self.options = options
        self.randomness = randomness
        self.knows = knows
        self.emit = emit
    }

    // MARK: What the flow asks for

    /// Creates the central, once.
    func begin() {
        if central == nil { central = CBCentralManager(delegate: self, queue: queue, options: options) }
    }

    func startScanning() {
        central?.scanForPeripherals(
            withServices: ConversationKind.services, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    func stopScanning() { central?.stopScan() }

    /// Lets go of the cameras of the scan before.
    func forgetCameras() { peripherals = [:] }

    func connect(_ camera: UUID) {
        guard let peripheral = peripherals[camera] else { return emit(.linkFailed(camera, .cameraUnknown)) }
        central?.connect(peripheral, options: nil)
    }

    func cancelConnection(_ camera: UUID) {
        endLink()
        if let peripheral = peripherals[camera] { central?.cancelPeripheralConnection(peripheral) }
    }

    /// Does something with the camera that is connected.
    func withLink(_ body: (CameraLink) -> Void) {
        if let link { body(link) }
    }

    private func endLink() {
        link?.end()
        link = nil
    }

    // MARK: CBCentralManagerDelegate

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        emit(.managerState(central.state, CBCentralManager.authorization))
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi: NSNumber
    ) {
        let sighting = Sighting(advertisement: advertisementData, name: peripheral.name, rssi: rssi.intValue)
        guard let sighting else { return }
        emit(.discovered(peripheral.identifier, sighting))
        if knows(peripheral.identifier) { peripherals[peripheral.identifier] = peripheral }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        let link = CameraLink(
            ConversationSetting(
                peripheral: peripheral, queue: queue, randomness: randomness, wishes: wishes, emit: emit))
        self.link = link
        link.begin()
    }

    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        let reason = error?.localizedDescription ?? "the camera did not say why"
        emit(.linkFailed(peripheral.identifier, .connectionFailed(reason)))
        emit(.linkEnded(peripheral.identifier))
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        endLink()
        emit(.linkEnded(peripheral.identifier))
    }
}
