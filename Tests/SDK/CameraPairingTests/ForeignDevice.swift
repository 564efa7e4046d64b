import CoreBluetooth
import Foundation

/// A device that is no camera, although it is called like one. Confined to its queue.
final class ForeignDevice: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    // Unchecked because the manager is touched on `queue` only.
    private let queue = DispatchQueue(label: "foreign-device")
    private let ready: AsyncStream<Void>
    private let readyContinuation: AsyncStream<Void>.Continuation
    private var manager: CBPeripheralManager?

    init(radio: URL) {
        (ready, readyContinuation) = AsyncStream.makeStream()
        super.init()
        queue.sync {
            manager = CBPeripheralManager(
                delegate: self, queue: queue, options: [CBManagerOptionRadioDirectoryKey: radio.path])
        }
    }

    /// Returns once it advertises.
    func advertising() async { for await _ in ready { return } }

    func stop() { queue.sync { manager = nil } }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "PORCH-A1B2", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180F")],
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        readyContinuation.yield()
    }
}
